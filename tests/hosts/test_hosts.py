"""One site on several hosts, which fail one way after the other: every figure is that of one undisturbed host."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from tests.evaluation.fault_server import serving
from tests.hosts.cluster import LEASE, PYTHON, Cluster, running
from tests.hosts.model_server import WaitingModel, reply_to
from tests.hosts.network import Host, missing
from tests.site import STARTS_WITHIN, wait_for

pytestmark = [
    pytest.mark.worker,
    pytest.mark.postgres,
    pytest.mark.redis,
    pytest.mark.skipif(bool(missing()), reason=f"SKIPPED LOUDLY: {missing()}"),
]
in_soak = pytest.mark.skipif(os.environ.get("HOSTS") != "all", reason="complete only in make soak PART=hosts")
SEEDS, CONCURRENCY = (0, 1, 2, 3, 4, 5, 6, 7), 4
CLIPS, FEW_CLIPS = 32, 8  # 512 questions in eight shards, 128 in two
SLOW, QUICK = 1.0, 0.3  # seconds of a reply
HOUR = 3600
SMALL_MB = 1  # less room than the clips need
LOCKS_LAST = 60  # seconds, at most, after their host has lost its power
TIMES_AS_FAST = 3.6
AMID = """SELECT s.holder FROM evaluation_shard s JOIN evaluation_cell c ON c.shard_id = s.id AND c.state = 'answered'
WHERE s.state = 'leased' AND s.run_id = {run} GROUP BY s.id HAVING count(*) BETWEEN 5 AND 50"""


class Hosts(NamedTuple):
    """A site with a model behind a server, and the figures of runs, an upload and a pack made by one calm host."""

    cluster: Cluster
    model: WaitingModel
    options: dict[str, Any]
    calm: dict[str, Any]

    def begin(self, name: str, **before: Any) -> dict[str, list[int]]:
        """Begin runs, and with a store an upload and a pack, for all hosts, whose copies of clips are gone."""
        for host in self.cluster.workers.values():
            for kept in ("media/copies", "var/frames"):
                shutil.rmtree(host.folder / kept, ignore_errors=True)
        self.model.begin()
        folder = str(self.cluster.folder) if self.cluster.store else ""
        begun = self.cluster.act(**before, begin={"name": name, "seeds": SEEDS, "folder": folder})
        self.model.run = begun["runs"][0]
        return begun

    def ask(self, question: str) -> list[tuple]:
        with psycopg.connect(self.cluster.database_url) as database:
            return database.execute(question).fetchall()

    def holders(self) -> list[str]:
        """The workers that are amid a shard of the run: some of its answers are stored."""
        return [holder.partition(":")[0] for (holder,) in self.ask(AMID.format(run=self.model.run))]

    def wait_for_workers(self, count: int) -> None:
        workers = "SELECT count(*) FROM benchsite_heartbeat WHERE name LIKE 'gpu%'"
        wait_for(lambda: self.ask(workers)[0][0] == count, STARTS_WITHIN)

    def seconds(self) -> float:
        """From the first request to the last reply."""
        return max(self.model.times) - min(self.model.times)


@contextmanager
def hosts(parts: str, *, seconds: float, **has: bool) -> Iterator[Hosts]:
    with running(parts, **has) as cluster:
        model = WaitingModel(cluster.database_url, SEEDS, seconds)
        with serving(model, cluster.network.here) as server:
            options = {"base_url": server.base_url, "model": "waiting", "concurrency": CONCURRENCY}
            try:
                yield Hosts(cluster, model, options, {})
            finally:
                for host in cluster.network.hosts:
                    print("=====", host.name, host.log()[-3000:], sep="\n")


def test_what_a_host_left_when_it_lost_its_power_another_answers_and_nothing_twice():
    with hosts("", has_store=False, has_rabbitmq=False, seconds=QUICK) as two:
        for name in ("w1", "w2"):
            two.cluster.work(name, "gpu")
        began = two.begin("two", fill={"clips": FEW_CLIPS, "server": two.options})
        two.cluster.network.fail(two.cluster.workers[wait_for(two.holders)[0]])
        found = two.cluster.act(figures={**began, "sweeps": True})
    judged, run, stage = found["figures"]["runs"]
    items = FEW_CLIPS * 2
    cells = len(SEEDS) * items
    assert found["figures"]["open"] == []
    ended = [(one["state"], one["unanswered"], one["replies"]) for one in (run, judged, stage)]
    assert ended == [(["finished", ""], [], number) for number in (cells, items, items)]
    assert all(raw == reply_to((item, seed)) for item, seed, raw, *_ in run["answers"])
    assert two.model.asked_in_vain == []
    assert sum(two.model.requests.values()) <= cells + CONCURRENCY * 2  # what was under way, and not yet stored


@pytest.fixture(scope="module")
def four() -> Iterator[Hosts]:
    """Four workers' hosts, of which the first was alone when it made the calm figures; the queue is RabbitMQ."""
    with hosts("web,clock", has_store=True, has_rabbitmq=True, seconds=QUICK) as found:
        found.cluster.work("w1")
        began = found.begin("calm", fill={"clips": CLIPS, "server": found.options})
        calm = found.cluster.act(figures=began)["figures"]
        items, cells = CLIPS * 2, len(SEEDS) * CLIPS * 2
        assert calm["open"] == []
        ended = [(run["state"], run["replies"]) for run in calm["runs"]]
        assert ended == [(["finished", ""], number) for number in (items, cells, items)]
        assert (calm["uploads"][0][0], calm["made"][0][0], len(calm["board"])) == ("stored", "done", 2)
        assert sum(found.model.requests.values()) == len(found.model.requests) == cells
        found.calm.update(calm)
        for name in ("w2", "w3", "w4"):
            found.cluster.work(name, cache_mb=SMALL_MB if name == "w4" else 100)
        found.wait_for_workers(4)
        yield found


def power(found: Hosts, name: str) -> None:
    found.cluster.network.fail(found.cluster.workers[name])
    time.sleep(LEASE)
    found.cluster.network.boot(found.cluster.workers[name])
    found.cluster.work(name)


def cut_link(found: Hosts, name: str) -> None:
    _cut(found, found.cluster.workers[name], 4 * LEASE)


def _cut(found: Hosts, host: Host, seconds: float) -> None:
    found.cluster.network.cut(host)
    time.sleep(seconds)
    found.cluster.network.mend(host)


def slow_link(found: Hosts, name: str) -> None:
    """200 ms to the host and back."""
    network, host = found.cluster.network, found.cluster.workers[name]
    wire = network.slow_down(host, 0.1)
    time.sleep(4 * LEASE)
    network.speed_up(host, wire)


def clocks(found: Hosts, name: str) -> None:
    """Two hours apart for the rest of the run."""
    another = next(one for one in found.cluster.workers if one != name)
    found.cluster.set_clock(name, HOUR)
    found.cluster.set_clock(another, -HOUR)


def broker(found: Hosts, name: str) -> None:
    """It returns without the messages that it had."""
    found.cluster.network.fail(found.cluster.broker)
    time.sleep(LEASE)
    found.cluster.network.boot(found.cluster.broker)
    found.cluster.start_broker()


def store(found: Hosts, name: str) -> None:
    assert found.cluster.store
    _cut(found, found.cluster.store, 2 * LEASE)


FAULTS: tuple[Callable[[Hosts, str], None], ...] = (power, cut_link, slow_link, clocks, broker, store)


@in_soak
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_four_hosts_answer_as_one_does_whatever_fails(four, fault):
    before = four.cluster.fetched()
    began = four.begin(f"four-{fault.__name__}".replace("_", "-"))
    busy = wait_for(four.holders)[0]
    fault(four, busy)
    found = four.cluster.act(figures=began)
    for name in four.cluster.workers:
        four.cluster.set_clock(name, 0)
    clips = {name: got - before[name] for name, got in four.cluster.fetched().items()}
    kept = {name: megabytes(host.folder) for name, host in four.cluster.workers.items()}
    tell(four, fault.__name__, found, clips, kept)
    assert found["figures"] == four.calm
    assert four.model.asked_in_vain == []
    assert max(kept["w4"]) <= SMALL_MB
    if fault not in (power, store):  # which cut downloads short
        assert {most for name in ("w1", "w2", "w3") for most in clips[name].values()} <= {1}


@in_soak
def test_four_hosts_ask_a_server_bound_model_in_little_more_than_a_quarter_of_the_time():
    with hosts("clock", has_store=True, has_rabbitmq=False, seconds=SLOW) as found:
        figures, seconds, shown = [], [], []
        for count in (1, 4):
            for name in ("w1", "w2", "w3", "w4")[:count]:
                if name not in found.cluster.workers:
                    found.cluster.work(name)
            found.wait_for_workers(count)
            found.model.begin()
            first = {} if figures else {"fill": {"clips": CLIPS, "server": found.options}}
            figures.append(found.cluster.act(**first, run_alone={"seeds": SEEDS}))
            seconds.append(found.seconds())
            shown.append({name: len(clips) for name, clips in found.cluster.fetched().items()})
        most = max(count for clips in found.cluster.fetched().values() for count in clips.values())
    print(f"\none host {seconds[0]:.1f} s, four {seconds[1]:.1f} s: {seconds[0] / seconds[1]:.2f} times as fast")
    print("  clips fetched:", *shown, "at most how often:", most)
    assert figures[0] == figures[1]
    assert most == 1
    assert seconds[0] >= TIMES_AS_FAST * seconds[1]


def tell(
    found: Hosts, fault: str, figures: dict[str, Any], clips: dict[str, Any], kept: dict[str, list[float]]
) -> None:
    model = found.model
    again = sum(model.requests.values()) - len(model.requests)
    most = {name: (len(got), max(got.values(), default=0)) for name, got in clips.items()}
    print(f"\n{fault}: {len(model.requests)} questions in {found.seconds():.1f} s")
    print(f"  {again} asked again, {len(model.asked_in_vain)} of them stored; {figures['attempts']} leases of shards")
    print("  clips fetched, at most how often:", most)
    print("  MB kept, copies and frames:", kept)


@in_soak
def test_a_host_that_loses_its_power_amid_a_transaction_keeps_no_lock(four):
    host, asked = four.cluster.workers["w2"], "SELECT id FROM benchmarks_pack WHERE name = 'shared' FOR UPDATE"
    host.start(PYTHON, "-m", "tests.hosts.inside", "hold", "{}", env=four.cluster.envs["w2"])
    with psycopg.connect(four.cluster.database_url, autocommit=True) as database:

        def is_held() -> bool:
            try:
                database.execute(f"{asked} NOWAIT")
            except psycopg.errors.LockNotAvailable:
                return True
            return False

        wait_for(is_held)
        four.cluster.network.fail(host)
        began = time.monotonic()
        assert is_held()
        database.execute(f"SET lock_timeout = '{LOCKS_LAST}s'")
        database.execute(asked)
        print(f"\nlocks of a host without power: {time.monotonic() - began:.1f} s")
    four.cluster.network.boot(host)
    four.cluster.work("w2")


def megabytes(folder: Path) -> list[float]:
    """Of the copies of clips, and of decoded frames."""
    return [
        round(sum(path.stat().st_size for path in (folder / name).rglob("*") if path.is_file()) / 1e6, 2)
        for name in ("media/copies", "var/frames")
    ]
