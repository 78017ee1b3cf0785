"""Titles of a definition's values, and plurals of its facets."""

from collections.abc import Iterable
from typing import Any


def title_among(values: Iterable[Any], value: str) -> str:
    """The title of the one of a facet's values that is this; the value itself if there is none."""
    return next((one.title for one in values if one.value == value), value)


def plural(word: str) -> str:
    """Plural of a facet's English name, such as test or property; some are plurals already."""
    noun, of, whose = word.partition(" of ")
    if any(part.endswith("s") for part in noun.split()):  # "materials present"
        return word
    return (noun[:-1] + "ies" if noun.endswith("y") else noun + "s") + of + whose
