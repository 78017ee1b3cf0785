"""A tag in every template: an address with scheme and host, as required by link previews."""

from django import template
from django.conf import settings
from django.template import Context
from django.utils.html import escape

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
