"""Live updates of a run's page: a hint when its rows change, read from the database."""

import asyncio
import contextlib
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.contrib.auth.models import AnonymousUser

from evaluation.models import Run
from evaluation.runs.progress import pulse_of

PAUSE = 1.0  # seconds between two polls


class RunConsumer(AsyncJsonWebsocketConsumer):
    """Tells the page when the run's counts change. The page of a private run polls by itself."""

    _looking: asyncio.Task | None = None

    async def connect(self) -> None:
        run_id = self.scope["url_route"]["kwargs"]["run_id"]
        if not await database_sync_to_async(_is_public)(run_id):
            await self.close()
            return
        await self.accept()
        self._looking = asyncio.create_task(self._look(run_id))

    async def disconnect(self, code: int) -> None:
        if self._looking:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self, run_id: int) -> None:
        """Send each change until the run has ended."""
        sent: dict[str, Any] | None = None
        while True:
            pulse = await database_sync_to_async(pulse_of)(run_id)
            if pulse is None:
                break
            if pulse != sent:
                await self.send_json(pulse)
                sent = pulse
            if pulse["state"] not in Run.GOING:
                break
            await asyncio.sleep(PAUSE)
        await self.close()


def _is_public(run_id: int) -> bool:
    return Run.objects.visible_to(AnonymousUser()).filter(pk=run_id).exists()
