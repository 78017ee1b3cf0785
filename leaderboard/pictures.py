"""A figure as PNG or PDF over the web: drawn by a browser, one at a time, and kept until the board changes."""

import hashlib
import threading
from collections.abc import Callable

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leaderboard.caching import SECONDS
from leaderboard.figure_files import NoBrowser

TYPES = {"png": "image/png", "pdf": "application/pdf"}
RETRY_AFTER = 15  # seconds

_drawing = threading.Lock()


def picture_response(
    request: HttpRequest, wanted: str, *, name: str, version: str, make: Callable[[], bytes]
) -> HttpResponse:
    """The file; 503 in words where no browser is installed or another picture is being drawn."""
    key = "picture:" + hashlib.sha256(f"{request.get_full_path()}\n{version}".encode()).hexdigest()
    content = cache.get(key)
    if content is None:
        # One browser a process at most, whoever asks: a queue of them would take the machine from the pages.
        if not _drawing.acquire(blocking=False):
            return _later(request, "Another picture is being drawn just now: ask again in a moment.")
        try:
            content = make()
        except NoBrowser:
            return _later(request, "No browser is installed here to draw pictures with: take the SVG.")
        finally:
            _drawing.release()
        cache.set(key, content, SECONDS)
    answer = HttpResponse(content, content_type=TYPES[wanted])
    answer["Content-Disposition"] = f'attachment; filename="{name}.{wanted}"'
    return answer


def _later(request: HttpRequest, reason: str) -> HttpResponse:
    answer = render(request, "400.html", {"reason": reason, "back": request.path}, status=503)
    answer["Retry-After"] = str(RETRY_AFTER)
    return answer
