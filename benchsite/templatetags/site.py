"""Tags and filters in every template."""

from collections.abc import ItemsView, Mapping
from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.utils.html import escape

from benchmarks.policy import KEEP, LIMITS

register = template.Library()


@register.simple_tag(takes_context=True)
def absolute(context: Context, address: str) -> str:
    """The address with the request's scheme and host; an absolute address stays as it is."""
    return context["request"].build_absolute_uri(address)


@register.simple_tag
def frame_snippet(address: str, title: str, height: int) -> str:
    """HTML that embeds this page as a frame in any site; for template parts rendered without a request."""
    source, named = escape(settings.SITE_URL + address), escape(title)
    return f'<iframe src="{source}" title="{named}" width="720" height="{height}" loading="lazy"></iframe>'


@register.filter
def pairs(mapping: Mapping[str, Any]) -> ItemsView[str, Any]:
    """Keys and values, like `.items`; a template would first look that up as a key."""
    return mapping.items()


@register.simple_tag
def keep(name: str) -> str:
    """The period in words: "7 days"."""
    return KEEP[name].words


@register.simple_tag
def limit(name: str) -> str:
    """The size in words: "64 MB"."""
    return LIMITS[name].words
