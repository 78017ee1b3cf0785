"""A database that is busy or away is nobody's mistake: 503 with the seconds to wait; asking again loses nothing."""

import logging
from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

WAIT = 5  # seconds until asking again is worth it
# SQLite calls these operational, too.
FAULTS = ("no such", "has no column", "syntax error", "malformed", "not a database")

log = logging.getLogger(__name__)


class BusyDatabase:
    """Answers 503 where a view could not reach the database or not write to it in time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, OperationalError) or any(fault in str(exception) for fault in FAULTS):
            return None
        log.warning("the database is busy or away: %s %s: %s", request.method, request.path, exception)
        response = _told(request)
        response.headers["Retry-After"] = str(WAIT)
        response.headers["Cache-Control"] = "no-store"
        return response


def _told(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        return JsonResponse({"detail": f"The site is busy. Ask again in {WAIT} seconds."}, status=503)
    return render(request, "503.html", {"seconds": WAIT}, status=503)
