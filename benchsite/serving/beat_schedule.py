"""The beat scheduler for sweeps and standings, robust against setting the machine's clock back."""

import logging
from datetime import timedelta
from typing import Any

from celery.beat import PersistentScheduler

from benchmarks.policy import DAY
from benchsite.logs.worker_heartbeats import note_tick

AHEAD = timedelta(seconds=2)
log = logging.getLogger(__name__)


class BeatScheduler(PersistentScheduler):
    """Resets last runs in the future, until which Celery's scheduler would otherwise wait."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        note_tick()
        for entry in self.schedule.values():
            now = entry.default_now()
            if entry.last_run_at > now + AHEAD:
                log.warning("the machine's clock was set back: %s is due again", entry.name)
                entry.last_run_at = now - DAY
                self._heap = None  # rebuilt, because its order follows the wrong times
        return super().tick(*args, **kwargs)
