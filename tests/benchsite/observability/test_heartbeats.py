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

from benchmarks.definitions.registry import BENCHMARKS
from benchsite.backup.contents import tables
from benchsite.models import Heartbeat
from benchsite.observability import health, heartbeats
from benchsite.observability.heartbeats import HOST, HUNG, SILENT, Heart, Sign
from benchsite.supervisor import hung
from benchsite.supervisor.hung import HungProcesses, silent_children
from benchsite.supervisor.processes import Keeper, stop_all
from tests.benchsite.observability.test_metrics import read

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def one_connection(monkeypatch):
    """Keep the test's connection open: threads of real processes close theirs, but this one holds the transaction."""
    monkeypatch.setattr(heartbeats, "connection", type("Kept", (), {"close": staticmethod(lambda: None)}))


def fall_silent(seconds: float) -> None:
    Heartbeat.objects.update(seen_at=F("seen_at") - timedelta(seconds=seconds))


def test_a_process_tells_where_and_what_it_is_and_what_it_did_last():
    heart = Heart("gpu1", "worker", queues=("gpu",))
    heartbeats.note_task("evaluation.tasks.work_on_run")
    heart.beat()
    heart.beat()
    (sign,) = heartbeats.signs()
    assert (sign.name, sign.kind, sign.host, sign.pid, sign.queues) == ("gpu1", "worker", HOST, os.getpid(), "gpu")
    assert sign.last_task == "evaluation.tasks.work_on_run"
    assert 0 <= sign.last_task_seconds < 5
    assert not sign.is_ill


def test_a_silent_process_is_ill_on_readyz_and_in_metrics_while_visitors_stay(client):
    Heart("cpu", "worker").beat()
    assert client.get("/readyz").json()["checks"]["processes"] == "ok"
    fall_silent(SILENT + 2)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert re.fullmatch(r"cpu was not heard for 4\d s", answer.json()["checks"]["processes"])
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
    Heart("clock", "clock").beat()
    assert sorted(Heartbeat.objects.values_list("name", "host")) == [("clock", HOST), ("cpu", "elsewhere")]
    Heartbeat.objects.filter(host="elsewhere").update(seen_at=F("seen_at") - timedelta(days=2))
    assert [sign.name for sign in heartbeats.signs()] == ["clock"]


def test_a_database_that_is_away_is_told_once_and_begins_the_series_anew(monkeypatch, caplog):
    heart = Heart("cpu", "worker")
    heart.beat()
    assert heart.steady_since is not None
    monkeypatch.setattr(heartbeats, "write", lambda heart: (_ for _ in ()).throw(OperationalError("away")))
    heart.beat()
    heart.beat()
    assert heart.steady_since is None
    assert [record.message for record in caplog.records] == ["no heartbeat is written: away"]


def test_a_gap_as_of_a_machine_that_slept_begins_the_series_anew(monkeypatch):
    heart, now = Heart("serve", "supervisor"), time.time()
    for seconds, since in ((0, 0), (10, 0), (20, 0), (4000, 4000), (4010, 4000)):
        monkeypatch.setattr(heartbeats.time, "time", lambda at=now + seconds: at)
        heart.beat()
        assert heart.steady_since == now + since


def sign_of(pid: int, silence: float, host: str = HOST) -> Sign:
    return Sign("cpu", "worker", host, pid, "cpu", "0", "", None, 9000.0, silence)


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
    monkeypatch.setattr("benchsite.supervisor.processes.RESTART_AFTER", 0.0)
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


def test_heartbeats_are_in_no_backup():
    assert Heartbeat not in tables()
