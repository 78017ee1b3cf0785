"""Tags and filters in every template: addresses with their host, items of a dictionary, periods and sizes in words."""

from collections.abc import ItemsView, Mapping
from typing import Any

from django import template
from django.conf import settings
from django.template import Context
from django.utils.html import escape

from benchmarks.policy import KEEP, LIMITS
from benchsite.web import documents

register = template.Library()


@register.simple_tag(takes_context=True)
def absolute(context: Context, address: str) -> str:
    """The address with the request's scheme and host, as link previews need it; an absolute address stays as it is."""
    return context["request"].build_absolute_uri(address)


@register.simple_tag
def frame_snippet(address: str, title: str, height: int) -> str:
    """HTML that embeds this page as a frame in any site; for template parts rendered without a request."""
    source, named = escape(settings.SITE_URL + address), escape(title)
    return f'<iframe src="{source}" title="{named}" width="720" height="{height}" loading="lazy"></iframe>'


@register.simple_tag
def badge_markdown(badge: str, path: str, name: str) -> str:
    """Markdown of a badge that leads to its page; for template parts rendered without a request."""
    name = name.translate({ord(letter): None for letter in "[]"})
    return f"[![{name}]({settings.SITE_URL}{badge})]({settings.SITE_URL}{path})"


@register.filter
def pairs(mapping: Mapping[str, Any]) -> ItemsView[str, Any]:
    """Keys and values, like `.items`; a template would first look that up as a key."""
    return mapping.items()


@register.simple_tag
def keep(name: str) -> str:
    """How long something is kept, in words: "7 days"."""
    return KEEP[name].words


@register.simple_tag
def limit(name: str) -> str:
    """How large something may be, in words: "64 MB"."""
    return LIMITS[name].words


@register.inclusion_tag("docs/tree.html", takes_context=True)
def document_tree(context: Context) -> dict[str, Any]:
    """The tree of all pages of the documentation; under the current one are its headings."""
    current = context.get("document")
    here = documents.address_of(current.name) if current else context["request"].path
    return {"tree": documents.tree(), "here": here, "headings": current.headings if current else ()}
