"""kill -9 at any time: the run ends with the numbers of an undisturbed one."""

import json
import os
import sqlite3
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from tests.evaluation.crash_stack import celery_worker, kill
from tests.programs import python, start
from tests.services import POSTGRES_URL, REDIS_URL
from tests.site import PATIENCE, environment, other_settings, wait_for
from tests.tables import lay_into, on_postgres

LEASE = 3  # seconds


@dataclass
class Place:
    """A separate database and queue, and the processes on them."""

    env: dict[str, str]
    ask: Callable[[str], list[tuple]]
    workers: list[subprocess.Popen[str]]

    def call(self, *arguments: str) -> Any:
        done = python([*arguments], self.env, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def crash(self, *arguments: str) -> Any:
        return self.call("-m", "tests.evaluation.crash", *arguments)

    def start_worker(self) -> subprocess.Popen[str]:
        self.workers.append(start(celery_worker("WARNING"), self.env, start_new_session=True))
        return self.workers[-1]

    def answered(self, run: int) -> int:
        return self.ask(f"SELECT count(*) FROM evaluation_cell WHERE run_id = {run} AND state = 'answered'")[0][0]

    def state(self, run: int) -> str:
        return self.ask(f"SELECT state FROM evaluation_run WHERE id = {run}")[0][0]

    def is_leased(self) -> bool:
        """Whether a shard is leased, by the database's clock."""
        until = (
            "lease_until > strftime('%Y-%m-%d %H:%M:%f', 'now')"
            if "sqlite" in self.env["DATABASE_URL"]
            else ("lease_until > now()")
        )
        return bool(self.ask(f"SELECT id FROM evaluation_shard WHERE state = 'leased' AND {until}"))


EMBEDDED = "embedded"
SERVERS = "servers"
ON_SERVERS = [pytest.mark.postgres, pytest.mark.redis]


@pytest.fixture
def place(request, tmp_path) -> Iterator[Place]:
    """SQLite and a queue in a folder, or PostgreSQL and Redis."""
    make = {EMBEDDED: embedded, SERVERS: servers}[request.param]
    yield from make(environment(tmp_path) | {"DEBUG": "1"} | other_settings(EVALUATION_LEASE_SECONDS=LEASE), tmp_path)


def embedded(env: dict[str, str], folder: Path) -> Iterator[Place]:
    path = folder / "var" / "db.sqlite3"
    lay_into(folder)

    def ask(question: str) -> list[tuple]:
        with closing(sqlite3.connect(path, timeout=20)) as database:
            return database.execute(question).fetchall()

    yield from with_workers(Place(env | {"DATABASE_URL": f"sqlite:///{path}"}, ask, []))


def servers(env: dict[str, str], folder: Path) -> Iterator[Place]:
    def ask(question: str) -> list[tuple]:
        with psycopg.connect(url) as database:
            return database.execute(question).fetchall()

    with on_postgres(POSTGRES_URL, f"crash_{uuid.uuid4().hex[:10]}") as url:
        try:
            empty_queues()
            yield from with_workers(Place(env | {"DATABASE_URL": url, "CELERY_BROKER_URL": REDIS_URL}, ask, []))
        finally:
            empty_queues()


def empty_queues() -> None:
    """Delete unconfirmed messages of killed workers, which would wake the workers of a later test."""
    with closing(redis.Redis.from_url(REDIS_URL)) as queue:
        queue.delete("gpu", "cpu", "default", "unacked", "unacked_index", "unacked_mutex")


def with_workers(place: Place) -> Iterator[Place]:
    try:
        yield place
    finally:
        for worker in place.workers:
            kill(worker)


@pytest.mark.worker
@pytest.mark.requirement("M1")
@pytest.mark.requirement("M9")
@pytest.mark.parametrize(
    ("place", "asked"),
    [
        (EMBEDDED, [('{"default": "Yes, {last}"}', "0"), ('{"default": "random"}', "0.7")]),
        pytest.param(SERVERS, [('{"default": "random"}', "0.7")], marks=ON_SERVERS),
    ],
    indirect=["place"],
)
def test_a_killed_worker_costs_nothing_but_time(place, asked):
    """Of two runs, one after the other, the worker that ended the first one is killed in the second."""
    runs, worker = [], None
    for number, how in enumerate(asked):
        started = place.crash("seed", *how, f"-{number}")
        worker = replaced_in_the_middle(place, worker or place.start_worker(), started)
        runs.append(str(started["run"]))
    found = place.crash("beside_undisturbed", *runs)
    for disturbed, undisturbed in found:
        assert (disturbed["state"], disturbed["open"], disturbed["reason"]) == ("finished", 0, "")
        assert len(disturbed["answers"]) == 120
        assert max(disturbed["attempts"]) == 2
        for what in ("answers", "scores", "prompts"):
            assert disturbed[what] == undisturbed[what]
    assert len(found) == len(asked)


def replaced_in_the_middle(place: Place, worker: subprocess.Popen[str], started: dict) -> subprocess.Popen[str]:
    """Kill the worker in the middle of this run; the worker that took its place and ended the run."""
    run = started["run"]
    wait_for(lambda: place.answered(run) >= 12)
    kill(worker)
    assert 0 < place.answered(run) < started["cells"] == 120
    assert place.state(run) == "running"
    wait_for(lambda: not place.is_leased())
    other = place.start_worker()
    wait_for(lambda: place.state(run) != "running")
    return other


@pytest.mark.worker
@pytest.mark.parametrize("place", [pytest.param(SERVERS, marks=ON_SERVERS)], indirect=True)
def test_two_workers_share_a_run_and_the_one_that_stays_takes_over(place):
    started = place.crash("seed", json.dumps({"default": "random"}), "0.7")
    first, _ = place.start_worker(), place.start_worker()
    wait_for(lambda: place.answered(started["run"]) >= 4)
    place.crash("wake")  # the scheduler does this every 15 s: the second worker joins
    wait_for(lambda: place.answered(started["run"]) >= 12)
    kill(first)
    wait_for(lambda: not place.is_leased() or place.state(started["run"]) != "running")
    facts = place.crash("wake_until_over", str(started["run"]))
    assert (facts["state"], len(facts["answers"]), facts["open"]) == ("finished", started["cells"], 0)


@pytest.mark.worker
@pytest.mark.requirement("M1")
@pytest.mark.requirement("M9")
@pytest.mark.parametrize(
    ("stack", "number", "workers"), [(EMBEDDED, 3, 1), pytest.param(SERVERS, 4, 2, marks=ON_SERVERS)]
)
def test_a_round_of_kill_9_at_random_moments(stack, number, workers):
    """One small round of the twenty in `make soak PART=crash`: workers, web, broker; answers and their scores."""
    small = ["--first", str(number), "--clips", "6", "--kills", "2"]
    command = ["-m", "tests.evaluation.crash_rounds", stack, "1", *small]
    done = python(command, dict(os.environ), timeout=4 * PATIENCE)
    (found,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (found["workers"], found["temperature"], found["problems"]) == (workers, 0.7, [])
    assert found["kills"]
    assert done.returncode == 0, done.stderr
