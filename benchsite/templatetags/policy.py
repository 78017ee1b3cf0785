"""Tags in every template: how long something is kept, and how large it may be."""

from django import template

from benchmarks.policy import KEEP, LIMITS

register = template.Library()


@register.simple_tag
def keep(name: str) -> str:
    """The period in words: "7 days"."""
    return KEEP[name].words


@register.simple_tag
def limit(name: str) -> str:
    """The size in words: "64 MB"."""
    return LIMITS[name].words
