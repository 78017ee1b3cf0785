"""Access to a site in this process, so that a test can break its code during an attack."""

import time
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

from asgiref.sync import async_to_sync
from channels.testing import WebsocketCommunicator
from django.core.cache import caches
from django.test import Client

from accounts.models import User
from benchsite.asgi import application
from tests.seals.attacker import Answer, as_file

FIRST_MOMENTS = 0.2  # seconds to wait for a websocket's next message


class InnerDoor:
    """A browser made of Django's test client; after a 429 it clears the rate limits and tries once more."""

    def __init__(self, username: str = "") -> None:
        self.client = Client(raise_request_exception=False)
        self.secret = ""
        if username:
            self.client.force_login(User.objects.get(username=username))

    def get(self, address: str, **headers: str) -> Answer:
        return self._patiently("get", address, headers=headers)

    def post(
        self,
        address: str,
        fields: Mapping[str, Any],
        file: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        def data() -> dict[str, Any]:
            return {**fields, **({"file": as_file(file)} if file is not None else {})}

        return self._patiently("post", address, data, headers=dict(headers or {}))

    def _patiently(self, method: str, address: str, data: Any = None, **options: Any) -> Answer:
        act = getattr(self.client, method)
        for _ in range(2):
            began = time.perf_counter()
            answer = act(address, data(), follow=True, **options) if data else act(address, follow=True, **options)
            seconds = time.perf_counter() - began
            if answer.status_code != 429:
                break
            caches["limits"].clear()
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        where = answer.request["PATH_INFO"]
        return Answer(where, answer.status_code, {k.lower(): v for k, v in answer.headers.items()}, body, seconds)

    def hear(self, address: str) -> list[str]:
        # As in Django's test client: the database connection must stay open for the test's transaction.
        with patch("channels.db.close_old_connections"):
            return async_to_sync(_heard)(address)


async def _heard(address: str) -> list[str]:
    socket = WebsocketCommunicator(application, address)
    try:
        accepted, _ = await socket.connect(timeout=5)
    except Exception:  # a failing websocket reveals nothing
        return []
    heard = []
    while accepted and not await socket.receive_nothing(FIRST_MOMENTS):
        event = await socket.receive_output(1)
        heard.append(str(event.get("text", event)))
        if event["type"] == "websocket.close":
            return heard
    if accepted:
        await socket.disconnect()
    return heard
