"""Time from the end of a run of 8,192 answers until a page shows its row.

The site runs as `serve` starts it: the scheduler checks every three seconds, a worker computes, the web server renders.
"""

import http.client
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tools.bench.measure import say

SEEDS = [0, 1]
STRATEGY = "plausibility"  # 4,096 questions with two seeds each
BOARD = "/leaderboard/grasp/?level=2"
NAME = "Model that has just ended"
PATIENCE = 120  # seconds
NEEDED = ("web", "cpu worker", "clock")


def answered_run() -> Any:
    """A run with all answers stored that is not finished yet."""
    from django.db import transaction

    from benchmarks.disclosure import SCORER, with_expected
    from benchmarks.models import Item, ItemMedia
    from evaluation.models import Listing, Model, Run, RunState
    from tools.bench.board.million import Answers
    from tools.bench.board.million_packs import Question

    first = Run.objects.filter(strategy=STRATEGY).order_by("pk").first()
    assert first is not None
    clips = dict(ItemMedia.objects.filter(item__pack=first.pack_id).values_list("item_id", "clip_id"))
    known = with_expected(Item.objects.filter(pack=first.pack_id, kind=STRATEGY), to=SCORER)
    items = known.order_by("pk").values_list("pk", "expected")
    questions = [Question(pk, clips[pk], answer or "", "no" if answer == "yes" else "yes") for pk, answer in items]
    alike = {name: getattr(first, name) for name in ("pack", "strategy", "parser", "parser_version", "sampler")}
    with transaction.atomic():
        model = Model.objects.create(slug="new", name=NAME, kind="random")
        run = Run.objects.create(model=model, seeds=SEEDS, state=RunState.RUNNING, listing=Listing.LISTED, **alike)
        Answers().write(run, questions, 0.7)
    return run


def shows(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", BOARD, headers={"Host": "localhost"})
    return NAME.encode() in connection.getresponse().read()


def seconds_to_its_row(port: int) -> float:
    """Finish a new run and request the page until it shows the row; then delete the run."""
    from evaluation.runs.completion import settle

    run = answered_run()
    try:
        assert not shows(port)
        began = time.perf_counter()
        settle(run.pk)
        while not shows(port):
            assert time.perf_counter() < began + PATIENCE, "the row never came"
            time.sleep(0.05)
        return time.perf_counter() - began
    finally:
        take_away()


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
def site_under_way() -> Iterator[int]:
    """Run the services that produce a new row; yields the web server's port."""
    from benchsite.serving.processes import services, stop_all
    from benchsite.serving.serve import free_port, wait_until_it_answers

    port = free_port("127.0.0.1")
    every = services(host="127.0.0.1", port=port, socket_port=port + 1, env=dict(os.environ) | {"DEBUG": "1"})
    keepers = [keeper for keeper in every if keeper.name in NEEDED]
    try:
        for keeper in keepers:
            keeper.start()
        wait_until_it_answers("127.0.0.1", port, keepers)
        shows(port)  # loads the templates, as in a running process
        yield port
    finally:
        stop_all(keepers)


def slowest_new_row(times: int = 3) -> float:
    """The seconds of the slowest of so many new rows."""
    with site_under_way() as port:
        return max(seconds_to_its_row(port) for _ in range(times))


def new_row(limit: float) -> bool:
    """Print the slowest of three new rows as a JSON line; return whether it is within the limit."""
    seconds = slowest_new_row()
    return say(seconds < limit, measure="new row", seconds=round(seconds, 2), limit_s=limit)
