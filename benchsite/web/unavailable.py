"""Turns a busy or absent database, an absent media store and a full disk into 503 with Retry-After.

The client can repeat the request without loss.
"""

import errno
import logging
from collections.abc import Callable

from django.db import DatabaseError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from benchmarks.errors import StoreAway

WAIT = 5  # seconds after which a retry makes sense
# SQLite reports these as operational errors, too.
FAULTS = ("no such", "has no column", "syntax error", "malformed", "not a database")
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
READ_ONLY = ("readonly database", "read-only transaction")  # SQLite, PostgreSQL
BUSY_WORDS = "The site is busy. Ask again in {} seconds."
READ_ONLY_WORDS = "The site can only be read just now; nothing was stored. Ask again in {} seconds."

log = logging.getLogger(__name__)


class Unavailable:
    """Answers 503 if a view could not reach or write to the database, the media store or the disk."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        read_only = is_read_only(exception)
        if not read_only and not is_passing(exception):
            return None
        # Not the path: it may contain a participant's token.
        log.warning("busy or away: %s", getattr(exception, "strerror", None) or exception)
        response = _unavailable_page(request, read_only=read_only)
        response.headers["Retry-After"] = str(WAIT)
        response.headers["Cache-Control"] = "no-store"
        return response


def is_passing(error: BaseException) -> bool:
    """Whether the failure may pass by itself, because neither the caller nor the site caused it."""
    if isinstance(error, OperationalError):
        return not any(fault in str(error) for fault in FAULTS)
    return isinstance(error, StoreAway) or (isinstance(error, OSError) and error.errno in NO_ROOM)


def is_read_only(error: BaseException) -> bool:
    """Whether a write failed because the database is read-only; PostgreSQL's driver reports an internal error then."""
    return isinstance(error, DatabaseError) and any(words in str(error) for words in READ_ONLY)


def _unavailable_page(request: HttpRequest, *, read_only: bool) -> HttpResponse:
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        words = READ_ONLY_WORDS if read_only else BUSY_WORDS
        return JsonResponse({"detail": words.format(WAIT)}, status=503)
    return render(request, "503.html", {"seconds": WAIT, "read_only": read_only}, status=503)
