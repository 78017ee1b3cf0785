"""Titles of a definition: written in English in its file, read on pages in the reader's language."""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.utils.translation import gettext

Titled = TypeVar("Titled", bound=type)
WRITTEN = "_title"  # the attribute that holds the English one
BOTH = " + "  # between the two values of a pair


class _Title:
    """The attribute `title` of a frozen dataclass."""

    def __get__(self, one: object | None, owner: type) -> object:
        return self if one is None else _translated(vars(one)[WRITTEN])

    def __set__(self, one: object, title: str) -> None:
        vars(one)[WRITTEN] = title


def _translated(title: str) -> str:
    """The translation; a pair of materials, as in "Glass + wood", has the titles of the two."""
    return BOTH.join(map(_in_pair, title.split(BOTH))) if BOTH in title else gettext(title)


def _in_pair(word: str) -> str:
    title = word.capitalize()
    translation = gettext(title)
    return word if translation == title else translation


def has_title(kind: Titled) -> Titled:
    """Make `title` of this dataclass read as its translation; exports, commands and the API are always in English."""
    kind.title = _Title()  # type: ignore[attr-defined]
    return kind


def in_english(one: object) -> str:
    """The title as its file has it."""
    title: str = vars(one)[WRITTEN]
    return title


def title_among(values: Iterable[Any], value: str) -> str:
    """The title of the one of a facet's values that is this; the value itself if there is none."""
    return next((one.title for one in values if one.value == value), value)


def plural(word: str) -> str:
    """Plural of a facet's English name, such as test or property; some are plurals already."""
    noun, of, whose = word.partition(" of ")
    if any(part.endswith("s") for part in noun.split()):  # "materials present"
        return word
    return (noun[:-1] + "ies" if noun.endswith("y") else noun + "s") + of + whose
