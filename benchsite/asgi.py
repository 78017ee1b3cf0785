"""The entry point for websockets (and for pages, if one process serves both)."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import path, re_path

from benchsite.serving import production_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
production_settings.require()
pages = get_asgi_application()

from benchsite.logs.logging import take_over  # noqa: E402  (what follows imports models: the apps must be ready)
from benchsite.logs.request_logging import ObservedSocket  # noqa: E402
from evaluation.runs.pages.live_updates import RunConsumer  # noqa: E402
from leaderboard.board.consumers import BoardConsumer  # noqa: E402

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
take_over()
application = ProtocolTypeRouter({"http": pages, "websocket": ObservedSocket(URLRouter(sockets))})
