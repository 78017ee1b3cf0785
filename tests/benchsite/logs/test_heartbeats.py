"""Hanging processes appear on /readyz and in metrics; `serve` restarts them."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

import psutil
import pytest
from django.db import OperationalError
from django.db.models import F
from django.utils import timezone

from benchmarks.definitions.registry import BENCHMARKS
from benchsite.backup.state import tables
from benchsite.logs import health, heartbeats
from benchsite.logs.heartbeats import HOST, HUNG, Heart
from benchsite.models import SILENT, Heartbeat
from benchsite.serving import hung
from benchsite.serving.hung import HungProcesses, silent_children
from benchsite.serving.processes import Keeper, stop_all
from humantrials.assignment.claims import claim_sheet
from humantrials.models import Sheet
from tests.benchsite.logs.test_metrics import read
from tests.humantrials.fixtures import consented, physics_pack, running_trial

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_connection(monkeypatch):
    """Keep the test's connection open: threads of real processes close theirs, but this one holds the transaction."""
    monkeypatch.setattr(heartbeats, "connection", type("Kept", (), {"close": staticmethod(lambda: None)}))


def fall_silent(seconds: float) -> None:
    Heartbeat.objects.update(seen_at=F("seen_at") - timedelta(seconds=seconds))


def test_a_process_tells_where_and_what_it_is_until_it_is_ended_on_purpose():
    heart = Heart("gpu1", "worker")
    heart.beat()
    heart.beat()
    (sign,) = heartbeats.signs()
    assert (sign.name, sign.kind, sign.host, sign.pid) == ("gpu1", "worker", HOST, os.getpid())
    assert not sign.is_ill
    fall_silent(SILENT + 2)
    heartbeats.note_end([os.getpid()])
    assert heartbeats.signs() == []
    assert Heartbeat not in tables()  # of a backup


def test_a_silent_process_is_ill_on_readyz_and_in_metrics_while_visitors_stay(client):
    Heart("cpu", "worker").beat()
    assert client.get("/readyz").json()["checks"]["processes"] == "ok"
    fall_silent(SILENT + 2)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert re.fullmatch(r"cpu was not heard for \d\d s", answer.json()["checks"]["processes"])
    found = read(client)
    assert found["benchsite_processes", ("state", "ill")] == 1
    assert SILENT < found["benchsite_process_silence_seconds", ("process", f"cpu@{HOST}")] < 2 * SILENT
    Heart("cpu", "worker").beat()
    assert client.get("/readyz").json()["checks"]["processes"] == "ok"


def test_a_new_process_takes_the_rows_of_ended_ones_away_and_leaves_other_machines():
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    Heart("cpu", "worker").beat()
    mine = Heartbeat.objects.get()
    for pk, host, pid in ((None, HOST, ended.pid), (None, "elsewhere", ended.pid)):
        mine.pk, mine.host, mine.pid = pk, host, pid
        mine.save(force_insert=True)
    Heart("gpu", "worker").beat()
    assert sorted(Heartbeat.objects.values_list("name", "host")) == [("cpu", "elsewhere"), ("gpu", HOST)]
    Heartbeat.objects.filter(host="elsewhere").update(seen_at=F("seen_at") - timedelta(days=2))
    assert [sign.name for sign in heartbeats.signs()] == ["gpu"]


def test_a_place_in_a_study_is_kept_as_long_as_no_web_process_ran():
    trial = running_trial(physics_pack(tests=2), replicates=1)
    held, run_out = (claim_sheet(participant=consented(trial)) for _ in range(2))
    now = timezone.now()
    assert heartbeats.end_standstill() == 0  # without heartbeats it never stood still
    Heart("web", "web").beat()
    heartbeats.note_end([os.getpid()])
    fall_silent(7200)
    Sheet.objects.filter(pk=held.pk).update(lease_until=now - timedelta(minutes=100))
    Sheet.objects.filter(pk=run_out.pk).update(lease_until=now - timedelta(minutes=121))
    assert heartbeats.end_standstill() == 1
    assert heartbeats.end_standstill() <= 1  # a second machine, right afterwards
    held.refresh_from_db(), run_out.refresh_from_db()
    assert timedelta(minutes=19) < held.lease_until - now < timedelta(minutes=21)
    assert run_out.lease_until < now


def test_a_database_that_is_away_is_told_once_and_begins_the_series_anew(monkeypatch, caplog):
    heart = Heart("cpu", "worker")
    heart.beat()
    before = heart.steady_since
    with monkeypatch.context() as patch:
        patch.setattr(heartbeats, "write", lambda heart: (_ for _ in ()).throw(OperationalError("away")))
        heart.beat()
        heart.beat()
    heart.beat()
    assert heart.steady_since > before > 0
    assert [record.message for record in caplog.records] == ["no heartbeat is written: away"]


def test_a_gap_as_of_a_machine_that_slept_begins_the_series_anew(monkeypatch):
    heart, now = Heart("serve", "supervisor"), time.time()
    for seconds, since in ((0, 0), (10, 0), (20, 0), (4000, 4000), (4010, 4000)):
        monkeypatch.setattr(heartbeats.time, "time", lambda at=now + seconds: at)
        heart.beat()
        assert heart.steady_since == now + since


def sign_of(pid: int, silence: float, host: str = HOST) -> Heartbeat:
    now = timezone.now()
    sign = Heartbeat(name="cpu", host=host, pid=pid, seen_at=now - timedelta(seconds=silence))
    sign.now = now
    return sign


def test_a_child_hangs_if_its_own_row_on_this_machine_is_old():
    child = Keeper("cpu worker", [], {}, process=subprocess.Popen([sys.executable, "-c", ""]))
    child.process.wait()
    pid, child.started_at = child.process.pid, time.monotonic() - 500
    for sign, is_hung in (
        (sign_of(pid, HUNG + 1), True),
        (sign_of(pid, HUNG - 1), False),
        (sign_of(pid, HUNG + 1, host="elsewhere"), False),
        (sign_of(pid + 1, HUNG + 1), False),
        (sign_of(pid, 600), False),  # older than the process: from an earlier process with this id
    ):
        assert (list(silent_children([child], [sign])) == [pid]) is is_hung, sign


def test_a_stopped_process_is_killed_and_started_again(monkeypatch):
    monkeypatch.setattr("benchsite.serving.processes.RESTART_AFTER", 0.0)
    keeper = Keeper("cpu worker", [sys.executable, "-c", "import time; time.sleep(600)"], {})
    keeper.start()
    pid, keeper.started_at = keeper.process.pid, time.monotonic() - 500
    try:
        os.kill(pid, signal.SIGSTOP)
        watched = HungProcesses([keeper])
        monkeypatch.setattr(hung.heartbeats, "signs", lambda: [sign_of(pid, HUNG + 1)])
        watched.look()
        assert watched.kill() == []  # its own heartbeats have not been written for long enough
        watched.heart.steady_since = time.time() - HUNG - 1
        watched.look()
        assert watched.kill() == ["cpu worker was not heard for 61 s: it is killed"]
        keeper.process.wait(10)
        assert "exit code -9" in keeper.watch()
        keeper.watch()
        assert psutil.Process(keeper.process.pid).status() != psutil.STATUS_STOPPED
        assert keeper.process.pid != pid
        assert watched.kill() == []
    finally:
        stop_all([keeper])


def test_liveness_and_readiness_ask_the_database_for_no_benchmark(client, monkeypatch):
    """A database that accepts connections but never answers would block both until the client gives up."""
    asked = []
    monkeypatch.setattr(BENCHMARKS, "source", lambda: asked.append(1))
    monkeypatch.setattr(BENCHMARKS, "_next", 0.0)
    assert [client.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]
    assert asked == []
    client.get("/leaderboard/grasp/")
    assert asked


def test_readiness_has_an_answer_within_two_seconds_whatever_hangs(client, monkeypatch):
    hangs, calls = threading.Event(), []
    monkeypatch.setitem(health.NEEDED, "media", lambda: calls.append(1) or str(hangs.wait(60)))
    monkeypatch.setattr(health, "_under_way", {})
    assert health.WITHIN <= 2
    monkeypatch.setattr(health, "WITHIN", 0.3)
    for _ in range(2):
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["checks"]["media"]) == (503, "does not answer")
    assert len(calls) == 1  # no pile of threads
    hangs.set()
