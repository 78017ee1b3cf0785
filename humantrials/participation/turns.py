"""On SQLite a process makes one participant's page at a time; on a database server all threads do.

SQLite has one writer, and a thread that finds it busy sleeps up to a tenth of a second at a time while the others
pass it. Threads that wait here are woken at once, and none takes the interpreter from the one that writes: 1,297
instead of 1,097 people a minute with script.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

PATIENCE = 0.5  # seconds; who waited so long goes on, so that a page that is stuck holds up nobody for longer
TURN = threading.Lock()


def in_turn(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wait for the other pages of this process, on SQLite; for views that compute and send no file."""

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        has_turn = connection.vendor == "sqlite" and TURN.acquire(timeout=PATIENCE)
        try:
            return view(request, *args, **kwargs)
        finally:
            if has_turn:
                TURN.release()

    return inner
