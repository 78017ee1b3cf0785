"""WebSocket that notifies open boards when figures of their benchmark change, so that the page reloads itself.

With a shared Redis, boards on all machines are notified at once. Without Redis, or if a message is lost, they poll the
version in the database every two seconds.
"""

import asyncio
import contextlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.layers import get_channel_layer
from django.db import OperationalError
from django.dispatch import receiver

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.cache import hint_of
from leaderboard.standings.refresh import standings_refreshed

PAUSE = 2.0  # seconds between two reads of the version


@cache
def _away() -> tuple[type[Exception], ...]:
    """Errors of a channel layer that is down; most commands send no message and never load the client of Redis."""
    from redis.exceptions import RedisError

    return RedisError, OSError


def group_of(slug: str) -> str:
    """Name of the channel group of this benchmark's open boards."""
    return f"board.{slug}"


@receiver(standings_refreshed)
def tell_boards(slugs: Iterable[str], **kwargs: Any) -> None:
    """Notify every open board of these benchmarks; do nothing if the channel layer is missing or down."""
    if layer := get_channel_layer():
        with contextlib.suppress(*_away()):
            for slug in slugs:
                async_to_sync(layer.group_send)(group_of(slug), {"type": "board.changed"})


class BoardConsumer(AsyncJsonWebsocketConsumer):
    """Sends the board's version on connect and on every change; one database poll serves all readers of a process."""

    readers: dict[str, set["BoardConsumer"]] = {}  # of this process, by benchmark
    looking: dict[str, asyncio.Task] = {}
    slug, sent = "", ""

    async def connect(self) -> None:
        self.slug = self.scope["url_route"]["kwargs"]["slug"]
        if not await database_sync_to_async(BENCHMARKS.__contains__)(self.slug):
            await self.close()
            return
        await self.accept()
        self.readers.setdefault(self.slug, set()).add(self)
        if self.slug not in self.looking:
            self.looking[self.slug] = asyncio.create_task(_look(self.slug))
        if self.channel_layer:  # before sending the first version, so that no change in between is missed
            with contextlib.suppress(*_away()):
                await self.channel_layer.group_add(group_of(self.slug), self.channel_name)
        await self.tell(await database_sync_to_async(hint_of)(self.slug))

    async def disconnect(self, code: int) -> None:
        """Leave the group; the last reader stops the poll."""
        if self.channel_layer:
            with contextlib.suppress(*_away()):
                await self.channel_layer.group_discard(group_of(self.slug), self.channel_name)
        left = self.readers.get(self.slug, set())
        left.discard(self)
        if not left and (task := self.looking.pop(self.slug, None)):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def board_changed(self, event: dict[str, str]) -> None:
        """Send the new version: another process has computed new figures."""
        await self.tell(await database_sync_to_async(hint_of)(self.slug))

    async def tell(self, version: str) -> None:
        if version != self.sent:
            self.sent = version
            await self.send_json({"version": version})


async def _look(slug: str) -> None:
    while True:
        await asyncio.sleep(PAUSE)
        with contextlib.suppress(OperationalError):  # a busy or unreachable database is polled again
            version = await database_sync_to_async(hint_of)(slug)
            for reader in tuple(BoardConsumer.readers.get(slug, ())):
                with contextlib.suppress(RuntimeError):  # the reader disconnected just now
                    await reader.tell(version)
