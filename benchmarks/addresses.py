"""Choices in an address: one that does not exist is told what does."""

from typing import Any

from django.core.paginator import EmptyPage, Page, PageNotAnInteger, Paginator
from django.http import Http404, HttpRequest


class NoSuchChoice(Http404):
    """The page is there, what was chosen on it is not; its sentence is for whoever reads the page."""


class NoSuchPlace(NoSuchChoice):
    """The path itself names what is not there, so that nothing is left of the address to go back to."""


def page_of(request: HttpRequest, rows: Any, size: int) -> Page:
    """The page that `?page=` names, the first without it. Raises NoSuchChoice where that is no page of this list."""
    pages = Paginator(rows, size)
    text = request.GET.get("page", "1")
    try:
        return pages.page(text if text.isascii() and text.isdigit() and len(text) < 9 else "")
    except PageNotAnInteger:
        raise NoSuchChoice(f"page={text[:20]}: a page is a number from 1") from None
    except EmptyPage:
        raise NoSuchChoice(f"page={text}: this list has {pages.num_pages} page(s)") from None
