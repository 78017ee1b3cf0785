"""Every kind of page over a million responses, cold (nothing cached) and warm, and the time until a new row is shown.

`python -m tools.bench.board.page_million [PART]` loads the data into a temporary folder (tools/bench/board/million.py)
and prints a JSON line for each page, or for those with PART in their name; exit 1 if a target is missed. With DATA_DIR
(and DATABASE_URL) of a loaded database it measures that one. For the new row the site runs as `serve` starts it.
Processor time decides: on a shared machine it is the better measure of a request's cost.
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


COMPARED = "/compare/?a=run-{first}&b=run-{second}"
ITEMS = "/leaderboard/grasp/items/?row=run-{first}&level=2"  # 4,096 answers of one run
# Name and address of each kind of page.
PAGES = {
    "home": "/",
    "boards": "/leaderboard/",
    **{f"board {slug}": f"/leaderboard/{slug}/" for slug in ("grasp", "craft", "pacs")},
    "board heat": "/leaderboard/grasp/?level=2",
    "board concepts": "/leaderboard/grasp/?level=2&group=concept",
    "board templates": "/leaderboard/craft/?group=template",  # 40 rows × 24 columns
    "chart": "/leaderboard/grasp/charts/people/?level=2",
    "table": "/leaderboard/grasp/tables/grasp-table-2/?rows=published,run",
    "concepts": "/concepts/",
    "concept": "/concepts/gravity/",
    "models": "/models/",
    "model": "{model}",
    "explore": "/explore/?benchmark=grasp",
    "explore narrowed": "/explore/?benchmark=grasp&level=2&who=models-wrong",
    "explore errors": "/explore/?benchmark=grasp&model={first}&error=false-yes",
    "item": "{item}",
    "item answer": "{item}?answer=1",
    "items": ITEMS,
    "items, models at odds": f"{ITEMS}&show=disputed",
    "items, people at odds": f"{ITEMS}&show=split",
    "items of a study": "/leaderboard/grasp/items/?row=trial-people&level=2",  # 640 items, three votes each
    "compare form": "/compare/",
    "compare two": COMPARED,
    "compare three": f"{COMPARED}&c=run-{{third}}",
    "run": "{run}",
    "benchmarks": "/benchmarks/",
    "benchmark": "/benchmarks/grasp/",
    "gallery": "/benchmarks/grasp/items/",
    "studies": "/trials/",
    "study": "/trials/people/",
    "submit": "/submit/",
    "snapshots": "/snapshots/",
    "feed": "/feed.atom",
    "sitemap": "/sitemap.xml",
    "api docs": "/api/v1/docs/",
    "api schema": "/api/v1/schema/",
}
WARM_MS, COLD_MS, ROUNDS = 60, 250, (3, 9)  # targets of every page; rounds cold and warm
OF_LARGE_BOARD, QUERIES = 15, 12  # its target in ms when warm, and its most queries when cold
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


def pages() -> dict[str, str]:
    """PAGES, for the rows in the data."""
    from benchmarks.disclosure import PUBLIC, Fact, open_to
    from benchmarks.models import Item
    from evaluation.models import Run

    first, second, third = Run.objects.filter(strategy="plausibility").order_by("pk")[:3]
    item: Any = Item.objects.filter(pack=first.pack, kind="plausibility").filter(open_to(PUBLIC, Fact.ANSWER)).first()
    facts = {"first": first.pk, "second": second.pk, "third": third.pk, "item": item.get_absolute_url()}
    facts |= {"run": first.get_absolute_url(), "model": first.model.get_absolute_url()}
    return {name: address.format(**facts) for name, address in PAGES.items()}


def cold_and_warm(address: str) -> tuple[dict[str, float], bool]:
    """Times of a page, and whether they are within the targets of every page."""
    from django.core.cache import cache as stored

    cold, warm = ROUNDS
    cost(address)  # loads templates and modules, as in a running process
    first, again = median_of(cold, address, stored.clear), median_of(warm, address)
    figures = {f"{state}_{key}": one[key] for state, one in (("cold", first), ("warm", again)) for key in one}
    return figures, again["cpu_ms"] <= WARM_MS and first["cpu_ms"] <= COLD_MS


def measure(name: str, address: str) -> bool:
    """Print the line of one page; return whether it is within its limits."""
    from django.core.cache import cache as stored

    figures, is_ok = cold_and_warm(address)
    is_ok &= not name.startswith("items") or queries_of(address) <= QUERIES  # of a list, when warm
    stored.clear()
    queries = queries_of(address)
    if name == "board templates":
        is_ok &= figures["warm_cpu_ms"] < OF_LARGE_BOARD and queries <= QUERIES
    return say(is_ok, page=name, **figures, cold_queries=queries)


def main(part: str = "") -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        set_up()
        results = [measure(name, address) for name, address in pages().items() if part in name]
        if part in "new row":  # 4,096 questions with two seeds each
            seconds = NewRow("/leaderboard/grasp/?level=2", "plausibility", seeds=[0, 1]).slowest()
            results.append(say(seconds < NEW_ROW_S, measure="new row", seconds=round(seconds, 2), limit_s=NEW_ROW_S))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
