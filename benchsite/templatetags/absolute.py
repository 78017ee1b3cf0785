"""A tag in every template: an address with scheme and host, as link previews need it."""

from django import template
from django.conf import settings
from django.template import Context
from django.utils.html import escape

register = template.Library()


@register.simple_tag(takes_context=True)
def absolute(context: Context, address: str) -> str:
    """The address with the request's scheme and host; one that has them already stays."""
    return context["request"].build_absolute_uri(address)


@register.simple_tag
def frame_snippet(address: str, title: str, height: int) -> str:
    """HTML that shows this page in a frame of any site; for parts that are drawn without a request."""
    source, named = escape(settings.SITE_URL + address), escape(title)
    return f'<iframe src="{source}" title="{named}" width="720" height="{height}" loading="lazy"></iframe>'
