"""The name of a stored figure where a page prints it, so that a test can compare all places that do."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


def figure_key(row: str, split: str, facet: str = "", value: str = "") -> str:
    """The name of a row's score on a value of a facet, or on all items of the split; `row` is its key on boards.

    "" without a row: a score on other items than those of the row has no name.
    """
    return "" if not row else f"{row} {split} {f'{facet}={value}' if facet else 'all'}"


@register.simple_tag
def figure(key: str) -> SafeString | str:
    """The attribute of an element that prints this score or its interval; nothing for a score on other items."""
    return format_html(' data-figure="{}"', key) if key else ""
