"""A filter in every template: the items of a dictionary with arbitrary keys."""

from collections.abc import ItemsView, Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def pairs(mapping: Mapping[str, Any]) -> ItemsView[str, Any]:
    """Keys and values, like `.items`; a template would first look that up as a key."""
    return mapping.items()
