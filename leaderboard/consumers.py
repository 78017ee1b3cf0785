"""What an open board hears: a hint that its benchmark's figures changed. The page reads itself again."""

import asyncio
import contextlib

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.db import OperationalError

from benchmarks.registry import BENCHMARKS
from leaderboard.caching import hint_of
from leaderboard.hints import AWAY, group_of

PAUSE = 2.0  # seconds between two looks


class BoardConsumer(AsyncJsonWebsocketConsumer):
    """Tells the version of the board at once and with every change; one look at the database serves all its readers."""

    readers: dict[str, set["BoardConsumer"]] = {}  # of this process, by benchmark
    looking: dict[str, asyncio.Task] = {}
    slug, told = "", ""

    async def connect(self) -> None:
        self.slug = self.scope["url_route"]["kwargs"]["slug"]
        if self.slug not in BENCHMARKS:
            await self.close()
            return
        await self.accept()
        self.readers.setdefault(self.slug, set()).add(self)
        if self.slug not in self.looking:
            self.looking[self.slug] = asyncio.create_task(_look(self.slug))
        if self.channel_layer:  # before the first version is told: no change between the two is missed
            with contextlib.suppress(*AWAY):
                await self.channel_layer.group_add(group_of(self.slug), self.channel_name)
        await self.tell(await database_sync_to_async(hint_of)(self.slug))

    async def disconnect(self, code: int) -> None:
        """The last reader takes the look with it."""
        if self.channel_layer:
            with contextlib.suppress(*AWAY):
                await self.channel_layer.group_discard(group_of(self.slug), self.channel_name)
        left = self.readers.get(self.slug, set())
        left.discard(self)
        if not left and (task := self.looking.pop(self.slug, None)):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def board_changed(self, event: dict[str, str]) -> None:
        """Another process has just computed new figures."""
        await self.tell(await database_sync_to_async(hint_of)(self.slug))

    async def tell(self, version: str) -> None:
        if version != self.told:
            self.told = version
            await self.send_json({"version": version})


async def _look(slug: str) -> None:
    while True:
        await asyncio.sleep(PAUSE)
        with contextlib.suppress(OperationalError):  # a database that is busy or away is asked again
            version = await database_sync_to_async(hint_of)(slug)
            for reader in tuple(BoardConsumer.readers.get(slug, ())):
                with contextlib.suppress(RuntimeError):  # it left in this very moment
                    await reader.tell(version)
