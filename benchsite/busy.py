"""A database or a media store that is busy or away is nobody's mistake.

503 with the seconds to wait; asking again loses nothing.
"""

import logging
from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from benchmarks.errors import StoreAway

WAIT = 5  # seconds until asking again is worth it
# SQLite calls these operational, too.
FAULTS = ("no such", "has no column", "syntax error", "malformed", "not a database")

log = logging.getLogger(__name__)


class BusyDatabase:
    """Answers 503 where a view could not reach database or media store, or not write to them in time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, OperationalError):
            if any(fault in str(exception) for fault in FAULTS):
                return None
        elif not isinstance(exception, StoreAway):
            return None
        log.warning("busy or away: %s", exception)  # never the path: it may hold a participant's token
        response = _told(request)
        response.headers["Retry-After"] = str(WAIT)
        response.headers["Cache-Control"] = "no-store"
        return response


def _told(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        return JsonResponse({"detail": f"The site is busy. Ask again in {WAIT} seconds."}, status=503)
    return render(request, "503.html", {"seconds": WAIT}, status=503)
