"""The clock that wakes sweeper and standings, also after the machine's own clock was set back."""

import logging
from datetime import timedelta
from typing import Any

from celery.beat import PersistentScheduler

AHEAD = timedelta(seconds=2)
log = logging.getLogger(__name__)


class Clock(PersistentScheduler):
    """Celery's, which remembers when it last did what: were that in the future, it would wait until then."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        for entry in self.schedule.values():
            now = entry.default_now()
            if entry.last_run_at > now + AHEAD:
                log.warning("the machine's clock was set back: %s is due again", entry.name)
                entry.last_run_at = now - timedelta(days=1)
                self._heap = None  # its order is that of the wrong times
        return super().tick(*args, **kwargs)
