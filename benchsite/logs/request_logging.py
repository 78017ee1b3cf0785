"""Gives every request and websocket an id and a duration, and a log line if it is notable."""

import logging
import re
import secrets
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

HEADER = "X-Request-ID"
REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
SLOW = 1.0  # seconds; slower requests are always logged
QUIET = {"GET", "HEAD", "OPTIONS"}
RUNS = "runs/<int:pk>/"
App = Callable[..., Awaitable[Any]]

log = logging.getLogger(__name__)


class Observed:
    """The outermost middleware, so that the measured time is what the client waits for.

    It logs the URL's name and never the path, which may contain a participant's token.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        mark = request_id(request)
        structlog.contextvars.clear_contextvars()
        with structlog.contextvars.bound_contextvars(request=mark):
            response = self.get_response(request)
            seconds = time.perf_counter() - began
            page = page_name(request)
            _write(request, page, response.status_code, seconds)
        response[HEADER] = mark
        return response

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: dict[str, object]) -> None:
        """Bind `run` for the log lines of a run's pages."""
        if request.resolver_match and request.resolver_match.route.startswith(RUNS):
            structlog.contextvars.bind_contextvars(run=kwargs["pk"])


def request_id(request: HttpRequest) -> str:
    """A new id, or the one set by our own proxy, which visitors can't choose."""
    header = request.headers.get(HEADER, "")
    return header if settings.PROXIES and REQUEST_ID.fullmatch(header) else secrets.token_hex(16)


def page_name(request: HttpRequest) -> str:
    """The URL's name; `missing` for unknown URLs, so that strangers can't create new names."""
    if request.resolver_match:
        return request.resolver_match.view_name or "unnamed"
    if request.path_info.startswith(settings.STATIC_URL):
        return "static"
    return "missing"


def _write(request: HttpRequest, page: str, status: int, seconds: float) -> None:
    """Log requests that changed something, failed or were slow; with LOG_LEVEL=DEBUG all requests."""
    level = logging.DEBUG
    if status >= 500 or seconds > SLOW:
        level = logging.WARNING
    elif request.method not in QUIET:
        level = logging.INFO
    if log.isEnabledFor(level):
        facts = {"page": page, "method": request.method, "status": status, "ms": round(1000 * seconds, 1)}
        log.log(level, "request", extra=facts)


class ObservedSocket:
    """Wraps the websocket application and binds id and page for its log lines."""

    def __init__(self, inner: App) -> None:
        self.inner = inner

    async def __call__(self, scope: dict[str, Any], receive: App, send: App) -> None:
        began, codes = time.perf_counter(), []

        async def note(message: dict[str, Any]) -> None:
            if message["type"] == "websocket.close":
                codes.append(message.get("code"))
            await send(message)

        with structlog.contextvars.bound_contextvars(socket=uuid.uuid4().hex, page=_page(scope["path"])):
            try:
                await self.inner(scope, receive, note)
            finally:
                log.info(
                    "socket closed",
                    extra={"code": next(iter(codes), None), "seconds": round(time.perf_counter() - began, 1)},
                )


def _page(path: str) -> str:
    """`/ws/runs/17/` as `runs/17`; websocket addresses contain no secrets."""
    return path.removeprefix("/ws/").strip("/")[:80]
