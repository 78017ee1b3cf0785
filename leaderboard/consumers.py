"""What an open board hears: a hint that its benchmark's figures changed. The page reads itself again."""

import asyncio
import contextlib

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.db import OperationalError

from benchmarks.registry import BENCHMARKS
from leaderboard.caching import hint_of

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
        await self.tell(await database_sync_to_async(hint_of)(self.slug))
        self.readers.setdefault(self.slug, set()).add(self)
        if self.slug not in self.looking:
            self.looking[self.slug] = asyncio.create_task(_look(self.slug))

    async def disconnect(self, code: int) -> None:
        """The last reader takes the look with it."""
        left = self.readers.get(self.slug, set())
        left.discard(self)
        if not left and (task := self.looking.pop(self.slug, None)):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

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
