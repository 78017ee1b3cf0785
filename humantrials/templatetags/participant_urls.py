"""`{% participant_url 'road-answer' %}`: an address below the participant's token, with its numbers if it has any.

`{% url %}` searches all patterns of a name for each call, and a page of clips has dozens; here each pattern is searched
once per process.
"""

from functools import cache

from django import template
from django.template.context import Context
from django.urls import reverse

register = template.Library()
TOKEN, FIRST = "a-token-that-nobody-has", 1_999_999_001


@register.simple_tag(takes_context=True)
def participant_url(context: Context, name: str, *numbers: int) -> str:
    """The address of this name for the `person` of the page."""
    return _pattern(name, len(numbers)).format(context["person"].token, *numbers)


@cache
def _pattern(name: str, count: int) -> str:
    marks = [FIRST + place for place in range(count)]
    found = reverse(name, args=[TOKEN, *marks]).replace(TOKEN, "{}")
    for mark in marks:
        found = found.replace(str(mark), "{}")
    return found
