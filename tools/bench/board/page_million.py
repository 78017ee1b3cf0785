"""Boards over a million responses: server time cold and warm, lists of items, and the time until a new row is shown.

`python -m tools.bench.board.page_million` loads the data into a temporary folder (tools/bench/board/million.py) and
prints JSON lines; exit 1 if a target is missed. With DATA_DIR (and DATABASE_URL) of a loaded database it measures that
one. For the new row the site runs as `serve` starts it. Processor time decides: on a shared machine it is the better
measure of a request's cost.
"""

import http.client
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tools.bench.measure import AS_SERVED, say, start_django

NAME = "Model that has just ended"
PATIENCE = 120  # seconds
NEEDED = ("web", "cpu worker", "clock")


@dataclass
class NewRow:
    """A run that ends while the site is served: how long until the board shows its row, and what processes hold."""

    board: str
    strategy: str
    seeds: list[int]
    memory: dict[str, int] = field(default_factory=dict)  # service -> the most that a process of it held, in MB

    def slowest(self, times: int = 3) -> float:
        """The seconds of the slowest of so many rows."""
        with site_under_way() as (port, keepers):
            self._shows(port)  # loads the templates, as in a running process
            seconds = max(self._seconds(port) for _ in range(times))
            self.memory = {keeper.name: most_mb(keeper) for keeper in keepers}
        return seconds

    def answered_run(self) -> Any:
        """A run with all answers stored that is not finished yet."""
        from django.db import transaction

        from benchmarks.disclosure import SCORER, with_expected
        from benchmarks.models import Item, ItemMedia
        from evaluation.models import Cell, Listing, Model, Run, RunState
        from tools.bench.board.million import Answers, Question

        first = Run.objects.filter(strategy=self.strategy).order_by("pk")[0]
        clips = dict(ItemMedia.objects.filter(item__pack=first.pack_id).values_list("item_id", "clip_id"))
        asked = Item.objects.filter(pk__in=Cell.objects.filter(run=first).values("item"))
        items = with_expected(asked, to=SCORER).order_by("pk").values_list("pk", "expected")
        questions = [Question(pk, clips[pk], answer or "", "no" if answer == "yes" else "yes") for pk, answer in items]
        alike = {name: getattr(first, name) for name in ("pack", "strategy", "parser", "parser_version", "sampler")}
        with transaction.atomic():
            model = Model.objects.create(slug="new", name=NAME, kind="random")
            own = {"model": model, "seeds": self.seeds, "state": RunState.RUNNING, "listing": Listing.LISTED}
            run = Run.objects.create(**own, **alike)
            Answers().write(run, questions, 0.7)
        return run

    def _shows(self, port: int) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", self.board, headers={"Host": "localhost"})
        return NAME.encode() in connection.getresponse().read()

    def _seconds(self, port: int) -> float:
        """Finish a new run and request the page until it shows the row; then delete the run."""
        from evaluation.runs.completion import settle

        run = self.answered_run()
        try:
            assert not self._shows(port)
            began = time.perf_counter()
            settle(run.pk)
            while not self._shows(port):
                assert time.perf_counter() < began + PATIENCE, "the row never came"
                time.sleep(0.05)
            return time.perf_counter() - began
        finally:
            take_away()


def most_mb(keeper: Any) -> int:
    """The most memory that the keeper's process or one of its descendants held at any time, in MB."""
    import psutil

    process = psutil.Process(keeper.process.pid)
    peaks = (Path(f"/proc/{one.pid}/status").read_text() for one in (process, *process.children(recursive=True)))
    return max(int(text.partition("VmHWM:")[2].split()[0]) for text in peaks if "VmHWM:" in text) // 1024


def take_away() -> None:
    """Delete the new run's model; try again if the worker has just stored a comparison with its row."""
    from django.db import IntegrityError

    from evaluation.models import Model

    for _ in range(PATIENCE):
        try:
            Model.objects.filter(slug="new").delete()
        except IntegrityError:
            time.sleep(1)
        else:
            return
    raise AssertionError("the new row can't be taken away")


@contextmanager
def site_under_way() -> Iterator[tuple[int, list[Any]]]:
    """Run the services that produce a new row; yields the web server's port and the services' keepers."""
    from benchsite.serving.processes import services, stop_all
    from benchsite.serving.serve import free_port, wait_until_it_answers

    port = free_port("127.0.0.1")
    every = services(host="127.0.0.1", port=port, socket_port=port + 1, env=dict(os.environ) | {"DEBUG": "1"})
    keepers = [keeper for keeper in every if keeper.name in NEEDED]
    try:
        for keeper in keepers:
            keeper.start()
        wait_until_it_answers("127.0.0.1", port, keepers)
        yield port, keepers
    finally:
        stop_all(keepers)


BOARD = "/leaderboard/craft/?group=template"  # 40 rows x 24 columns
ITEMS = "/leaderboard/grasp/items/?row=run-4&level=2"  # 4,096 answers of one run
LISTS = {
    "items": ITEMS,
    "items that models are at odds on": f"{ITEMS}&show=disputed",
    "items that people are at odds on": f"{ITEMS}&show=split",
    "items of a study": "/leaderboard/grasp/items/?row=trial-people&level=2",  # 640 items, three votes each
}
WARM_MS, COLD_MS, ITEMS_MS, QUERIES = 15, 250, 60, 12  # targets
NEW_ROW_S = 5  # from the last of 8,192 answers to the page with the row


def set_up() -> None:
    """Set up Django with production settings, and load and print the data unless the database has them."""
    os.environ |= AS_SERVED
    start_django()
    from django.core.management import call_command

    from evaluation.models import Run
    from leaderboard.standings.refresh import refresh
    from tools.bench.board import million

    loaded = None if Run.objects.exists() else million.load()
    began = time.process_time()
    computed = refresh().computed
    if loaded and computed:
        spent = round((time.process_time() - began) / computed, 3)
        say(measure="load", **loaded, standings_cpu_s_a_run=spent)
    call_command("collectstatic", interactive=False, verbosity=0)


@cache
def visitor() -> Any:
    """The shared test client for all requests: each new one would scan the static files again."""
    from django.test import Client

    return Client(headers={"accept-encoding": "gzip"})


def cost(address: str) -> tuple[float, float]:
    """Wall and processor time in milliseconds of one request through the whole site."""
    wall, cpu = time.perf_counter(), time.thread_time()
    assert visitor().get(address).status_code == 200
    return 1000 * (time.perf_counter() - wall), 1000 * (time.thread_time() - cpu)


def median_of(times: int, address: str, before: Callable[[], object] = lambda: None) -> dict[str, float]:
    found = []
    for _ in range(times):
        before()
        found.append(cost(address))
    wall, cpu = (statistics.median(values) for values in zip(*found, strict=True))
    return {"ms": round(wall, 1), "cpu_ms": round(cpu, 1)}


def queries_of(address: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        visitor().get(address)
    return len(queries)


def pages() -> bool:
    """Print a line for each page; return whether all are within the limits, by processor time."""
    from django.core.cache import cache as stored

    cost(BOARD)  # loads the templates, as in a running process
    lines = [
        ("cold", BOARD, COLD_MS, median_of(5, BOARD, stored.clear)),
        ("warm", BOARD, WARM_MS, median_of(40, BOARD)),
        *((name, address, ITEMS_MS, median_of(9, address)) for name, address in LISTS.items()),
    ]
    all_ok = True
    for name, address, limit, found in lines:
        stored.clear() if name == "cold" else None
        queries = queries_of(address)
        is_ok = found["cpu_ms"] < limit and queries <= QUERIES
        all_ok &= say(is_ok, measure=name, **found, limit_ms=limit, queries=queries)
    return all_ok


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        set_up()
        # 4,096 questions with two seeds each
        is_ok, seconds = pages(), NewRow("/leaderboard/grasp/?level=2", "plausibility", seeds=[0, 1]).slowest()
        is_ok &= say(seconds < NEW_ROW_S, measure="new row", seconds=round(seconds, 2), limit_s=NEW_ROW_S)
    return 0 if is_ok else 1


if __name__ == "__main__":
    sys.exit(main())
