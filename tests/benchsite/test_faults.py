"""Fault injection, small; `make soak PART=faults` runs all of it."""

import errno
import json
import os

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client
from django.urls import path

from accounts.counting import enter
from benchsite.settings import REDIS_CACHE
from tests.programs import python
from tools.bench.load.faults import AWAY

ASKED = ("none", "store", "kill")


@pytest.fixture(scope="module")
def found():
    """Findings on one site with visitors after no fault, after a slow store, and after kill -9."""
    env = {name: value for name, value in os.environ.items() if name not in AWAY}
    asked = ["-m", "tools.bench.load.faults", "--here", "--small", f"--faults={','.join(ASKED)}"]
    done = python(asked, env, timeout=1500)
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [report["fault"] for report in reports] == [*ASKED], done.stderr[-3000:]
    return {report["fault"]: report for report in reports}


def nothing_is_lost(report: dict) -> bool:
    return report["acknowledged"] > 0 < report["submissions"] and set(report["findings"].values()) == {0}


@pytest.mark.worker
def test_readers_participants_and_submitters_at_once_meet_no_error_and_lose_nothing(found):
    assert nothing_is_lost(found["none"]), found
    assert found["none"]["failed_tries"] == 0, found


@pytest.mark.worker
def test_a_slow_store_of_media_holds_up_clips_and_uploads_and_nothing_else(found):
    assert nothing_is_lost(found["store"]), found
    assert {"clip_late", "clip_slow", "clip_away", "pages_failed"} < set(found["store"]["findings"])


@pytest.mark.worker
def test_killing_every_process_one_after_the_other_loses_nothing(found):
    assert nothing_is_lost(found["kill"]), found
    assert found["kill"]["failed_tries"] > 0  # the kills had an effect


def test_a_cache_that_is_away_is_empty_and_calls_are_let_in(settings):
    away = REDIS_CACHE | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {"default": away, "limits": away}
    cache.set("a", 1)
    assert cache.get("a", "instead") == "instead"
    assert cache.get_or_set("a", lambda: 7) == 7
    assert all(enter("somebody", limit=1, seconds=60).is_let_in for _ in range(3))


def full(request):
    raise OSError(errno.ENOSPC, "No space left on device")


def busy(request):
    raise OperationalError("database or disk is full")


def broken(request):
    raise OSError(errno.EACCES, "Permission denied")


urlpatterns = [path("full/", full), path("api/full/", full), path("busy/", busy), path("broken/", broken)]


@pytest.mark.parametrize(
    ("address", "status"), [("/full/", 503), ("/api/full/", 503), ("/busy/", 503), ("/broken/", 500)]
)
def test_no_room_for_an_upload_asks_people_to_come_again(settings, address, status):
    settings.ROOT_URLCONF = __name__
    answer = Client(raise_request_exception=False).post(address)
    assert answer.status_code == status
    assert ("Retry-After" in answer.headers) is (status == 503)
