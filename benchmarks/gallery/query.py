"""Query parameters: an unknown value gives a 404 that lists the known ones."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import EmptyPage, Page, PageNotAnInteger, Paginator
from django.http import Http404, HttpRequest


class NoSuchChoice(Http404):
    """404 for an unknown query value on an existing page; the message is shown to the reader."""


class NoSuchPlace(NoSuchChoice):
    """404 for an unknown name in the path itself, so there is no page to go back to."""


def no_choice(name: str, value: str, known: Iterable[str]) -> str:
    """The message for a choice that is none of the known ones."""
    return f"no {name} {value[:40]!r}; there is: {', '.join(known) or 'none'}"


def page_of(request: HttpRequest, rows: Any, size: int, *, or_nearest: bool = False) -> Page:
    """The page given by `?page=`, by default the first; raises NoSuchChoice if it does not exist.

    `or_nearest` gives one that exists: for lists that shrink under the reader, who decides about their rows.
    """
    pages = Paginator(rows, size)
    text = request.GET.get("page", "1")
    if or_nearest:
        return pages.get_page(text)
    try:
        return pages.page(text if text.isascii() and text.isdigit() and len(text) < 9 else "")
    except PageNotAnInteger:
        raise NoSuchChoice(f"page={text[:20]}: a page is a number from 1") from None
    except EmptyPage:
        raise NoSuchChoice(f"page={text}: this list has {pages.num_pages} page(s)") from None
