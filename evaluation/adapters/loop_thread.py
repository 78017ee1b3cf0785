"""An event loop in a thread of its own, so that plain code can have many requests under way and stop them all."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Inside the `with` block coroutines run beside the caller; at its end what still runs is cancelled."""

    def __enter__(self) -> "LoopThread":
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="requests", daemon=True)
        self._thread.start()
        return self

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def stop_all(self) -> None:
        """Cancel what runs, and wait until it has ended."""
        self.start(_cancel_others()).result()

    def __exit__(self, *error: object) -> None:
        self.stop_all()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _cancel_others() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
