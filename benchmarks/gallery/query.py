"""Query parameters: an unknown value gives a 404 that lists the known ones."""

from collections.abc import Iterable
from typing import Any

from django.core.paginator import EmptyPage, Page, PageNotAnInteger, Paginator
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _


class NoSuchChoice(Http404):
    """404 for an unknown query value on an existing page; the message is shown to the reader."""


class NoSuchPlace(NoSuchChoice):
    """404 for an unknown name in the path itself, so there is no page to go back to."""


def no_choice(name: str, value: str, known: Iterable[str]) -> str:
    """The message for a choice that is none of the known ones."""
    words = {"name": name, "value": repr(value[:40]), "known": ", ".join(known) or _("none")}
    return _("no %(name)s %(value)s; there is: %(known)s") % words


def page_of(request: HttpRequest, rows: Any, size: int) -> Page:
    """The page given by `?page=`, by default the first; raises NoSuchChoice if it does not exist."""
    pages = Paginator(rows, size)
    text = request.GET.get("page", "1")
    try:
        return pages.page(text if text.isascii() and text.isdigit() and len(text) < 9 else "")
    except PageNotAnInteger:
        raise NoSuchChoice(_("page=%(text)s: a page is a number from 1") % {"text": text[:20]}) from None
    except EmptyPage:
        words = {"page": text, "count": pages.num_pages}
        raise NoSuchChoice(_("page=%(page)s: this list has %(count)s page(s)") % words) from None
