"""A tag in every template: an address with scheme and host, as link previews need it."""

from django import template
from django.template import Context

register = template.Library()


@register.simple_tag(takes_context=True)
def absolute(context: Context, address: str) -> str:
    """The address with the request's scheme and host; one that has them already stays."""
    return context["request"].build_absolute_uri(address)
