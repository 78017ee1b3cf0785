"""The scheduler continues when the machine's clock is set back."""

from datetime import datetime, timedelta

import pytest
from celery.signals import before_task_publish
from django.conf import settings
from django.utils import timezone

from benchsite.celery import app
from benchsite.logs.celery_processes import BeatScheduler


class Noting(BeatScheduler):
    """Records the tasks that it would send."""

    def __init__(self, *args, **kwargs):
        self.sent = []
        super().__init__(*args, **kwargs)

    def apply_async(self, entry, **kwargs):
        self.sent.append(entry.name)


@pytest.fixture
def clock(tmp_path):
    clock = Noting(app, schedule_filename=str(tmp_path / "beat"))
    yield clock
    clock.close()


def ticks(clock: Noting) -> set[str]:
    clock.sent.clear()
    for _ in range(12):
        clock.tick()
    return set(clock.sent)


def remember(clock: Noting, ahead: timedelta) -> None:
    """Pretend that each task ran so much later than now."""
    for entry in clock.schedule.values():
        entry.last_run_at = entry.default_now() + ahead
    clock._heap = None


def test_what_was_last_done_in_the_future_is_due_at_once_and_just_now_is_not(clock):
    remember(clock, timedelta(hours=2))
    assert set(settings.CELERY_BEAT_SCHEDULE) <= ticks(clock)
    assert ticks(clock) == set()
    remember(clock, timedelta(seconds=0))
    assert ticks(clock) == set()


@pytest.mark.parametrize(("broker", "hours"), [("redis://queue.example/0", 1), ("filesystem://localhost", 0)])
def test_a_host_whose_clock_is_an_hour_ahead_gets_messages_of_others(broker, hours, settings):
    """By its clock each had expired when it was sent: no board and no upload would move while it works for `cpu`."""
    settings.CELERY_BROKER_URL = broker
    headers = {"expires": (timezone.now() + timedelta(seconds=12)).isoformat()}
    before_task_publish.send(sender="task", headers=headers)
    expires = datetime.fromisoformat(headers["expires"])
    assert timedelta(hours=hours) < expires - timezone.now() < timedelta(hours=hours * 9, seconds=12)
    before_task_publish.send(sender="task", headers=(lasting := {"expires": None}))
    assert lasting == {"expires": None}
