"""Gives every websocket an id, and a log line when it closes."""

import logging
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

log = logging.getLogger(__name__)
App = Callable[..., Awaitable[Any]]


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
