"""Fault injection, small; `make soak PART=faults` and `PART=load` run all of it."""

import errno
import json
import os
import sys
import types

import pytest
import redis
from django.db import OperationalError
from django.test import Client
from django.urls import path

from bench.load.faults import AWAY
from benchsite.web.fail_open_caches import FailOpenFileCache, FailOpenRedisCache
from tests.warm import python

ASKED = ("none", "store", "kill")


@pytest.fixture(scope="module")
def found():
    """Findings on one site with visitors after no fault, after a slow store, and after kill -9."""
    env = {name: value for name, value in os.environ.items() if name not in AWAY}
    asked = ["-m", "bench.load.faults", "--here", "--small", f"--faults={','.join(ASKED)}"]
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
def test_a_slow_store_of_media_holds_up_clips_and_nothing_else(found):
    assert nothing_is_lost(found["store"]), found
    assert {"clip_late", "clip_slow", "clip_away", "pages_failed"} < set(found["store"]["findings"])


@pytest.mark.worker
def test_killing_every_process_one_after_the_other_loses_nothing(found):
    assert nothing_is_lost(found["kill"]), found
    assert found["kill"]["failed_tries"] > 0  # the kills had an effect


MISSING = {"LOCATION": "redis://127.0.0.1:1/0", "OPTIONS": {}}


@pytest.fixture
def away(monkeypatch):
    """The address of a missing Redis; each act connects again."""
    monkeypatch.setattr("benchsite.web.fail_open_caches.REST", 0.0)
    monkeypatch.setattr(FailOpenRedisCache, "asked_again_at", 0.0)
    return FailOpenRedisCache(MISSING["LOCATION"], MISSING)


def test_a_cache_that_is_away_is_empty_and_takes_everything(away):
    away.set("a", 1)
    assert away.get("a") is None
    assert away.get("a", "instead") == "instead"
    assert away.get_many(["a"]) == {}
    assert away.add("a", 1) is True
    assert away.incr("a") == 1
    assert "a" not in away
    assert away.get_or_set("a", lambda: 7) == 7
    assert away.delete("a") is False
    away.clear()


def test_it_is_not_asked_again_at_once(monkeypatch):
    asked = []

    def refuse(self, *args, **kwargs):
        asked.append(1)
        raise redis.exceptions.ConnectionError("away")

    monkeypatch.setattr(FailOpenRedisCache, "asked_again_at", 0.0)
    monkeypatch.setattr("redis.Redis.get", refuse)
    cache = FailOpenRedisCache(MISSING["LOCATION"], MISSING)
    assert [cache.get("a"), cache.get("b")] == [None, None]
    assert asked == [1]


@pytest.mark.redis
def test_what_an_older_version_cached_counts_as_none(monkeypatch):
    from tests.services import REDIS_URL

    monkeypatch.setattr(FailOpenRedisCache, "asked_again_at", 0.0)
    cache = FailOpenRedisCache(REDIS_URL, {"OPTIONS": {}})
    moved = type("Page", (), {"__module__": "leaderboard.whole_pages", "__reduce__": lambda self: "Page"})
    sys.modules["leaderboard.whole_pages"] = types.ModuleType("leaderboard.whole_pages")
    try:
        page = sys.modules["leaderboard.whole_pages"].Page = moved()
        cache.set("older", page)
    finally:
        del sys.modules["leaderboard.whole_pages"]
    assert cache.get("older", "none") == "none"
    cache.delete("older")


@pytest.mark.redis
def test_a_mistake_of_ours_is_still_one(monkeypatch):
    from tests.services import REDIS_URL

    monkeypatch.setattr(FailOpenRedisCache, "asked_again_at", 0.0)
    cache = FailOpenRedisCache(REDIS_URL, {"OPTIONS": {}})
    with pytest.raises(TypeError):
        cache.set("a")


@pytest.mark.parametrize(("number", "is_fault"), [(errno.ENOSPC, False), (errno.EACCES, True)])
def test_a_full_disk_keeps_no_limits_and_makes_no_error(tmp_path, monkeypatch, number, is_fault):
    def refuse(self, *args, **kwargs):
        raise OSError(number, "of the test")

    monkeypatch.setattr("django.core.cache.backends.filebased.FileBasedCache.set", refuse)
    cache = FailOpenFileCache(str(tmp_path), {})
    if is_fault:
        with pytest.raises(OSError, match="of the test"):
            cache.set("a", 1)
    else:
        cache.set("a", 1)
        assert cache.get("a") is None


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
