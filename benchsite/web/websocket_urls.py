"""All websocket URLs, one per line."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.urls import path, re_path

from evaluation.runs.pages.live_updates import RunConsumer
from leaderboard.board.consumers import BoardConsumer

NOT_FOUND = 4404  # like HTTP's 404, in the range of codes for applications


async def no_such_socket(
    scope: dict[str, Any], receive: Callable[[], Awaitable], send: Callable[..., Awaitable]
) -> None:
    """Accept and close the connection; a code can only be sent on an accepted connection."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": NOT_FOUND})


sockets = [
    path("ws/runs/<int:run_id>/", RunConsumer.as_asgi()),
    path("ws/boards/<slug:slug>/", BoardConsumer.as_asgi()),
    re_path(r"", no_such_socket),  # type: ignore[arg-type]  # last: catches what no line above knows
]
