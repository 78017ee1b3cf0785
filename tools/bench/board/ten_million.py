"""Ten million responses on PostgreSQL: growth of the board's times with n.

`python -m tools.bench.board.ten_million [--within 540] [--until 10]` continues where it stopped, for so many seconds.
It loads the 240 runs of tools/bench/board/million.py once, then one seed after another (a million responses each). At
1, 3, 6 and 10 million it updates the standings and measures. Its database `ten_million` is on the server of
TEST_POSTGRES_URL; results are stored in var/ten-million, and at the end printed with the slope of every figure. Exit
0 when done, 3 when there is more to do; `--drop` deletes database and folder.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from typing import Any

from tools.bench.measure import AS_SERVED, ROOT, say, start_django

DATABASE, FOLDER = "ten_million", ROOT / "var" / "ten-million"
RESULTS = FOLDER / "results.jsonl"
SIZES = (1, 3, 6, 10)  # millions, about
WARM_MS, NEW_ROW_S = 15, 10
MORE = 3  # exit code
AT_ONCE_RUNS = 12  # runs between two checks of the deadline


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--within", type=float, default=540.0, help="seconds")
    parser.add_argument("--until", type=int, default=SIZES[-1], help="millions")
    parser.add_argument("--models", type=int, default=40, help="fewer for a try")
    parser.add_argument("--more-is-fine", action="store_true", help="exit 0, too, when there is more to do")
    parser.add_argument("--drop", action="store_true")
    options = parser.parse_args(arguments)
    return drop() if options.drop else go_on(options)


def go_on(options: argparse.Namespace) -> int:
    """Continue where the last call stopped until the time is over; return the exit code."""
    more = 0 if options.more_is_fine else MORE
    set_up()
    from tools.bench.board.page_million import take_away

    take_away()  # remains if the last call was stopped while measuring
    deadline = time.monotonic() + options.within
    for size in [size for size in SIZES if size <= options.until]:
        while seeds_there() < size:
            if time.monotonic() > deadline:
                return more
            add_seed(options.models)
        if not standings_are_made(deadline):
            return more
        if size not in measured():
            measure(size)
    print_table()
    return 0 if all(one["ok"] for one in measured().values()) else 1


def set_up() -> None:
    """Set up Django on this benchmark's database, created if missing."""
    import psycopg

    from tests.humantrials.subprocesses import POSTGRES_URL, own_postgres

    with psycopg.connect(POSTGRES_URL) as server:
        is_there = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
    if not is_there:
        own_postgres(DATABASE, "CREATE")
    os.environ |= {"DATA_DIR": str(FOLDER), "DATABASE_URL": f"{POSTGRES_URL.rsplit('/', 1)[0]}/{DATABASE}", **AS_SERVED}
    start_django()
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)


def seeds_there() -> int:
    """Number of complete seeds, each about a million responses."""
    from evaluation.models import Run

    seeds = Run.objects.values_list("seeds", flat=True)
    return min((len(seed) for seed in seeds), default=0)


def add_seed(models: int) -> None:
    """Add one seed to every run; each run is a transaction, so that a killed call can continue."""
    from django.db import transaction
    from django.db.models import F

    from evaluation.models import Run
    from tools.bench.board import million

    began = time.perf_counter()
    if not Run.objects.exists():
        with transaction.atomic():
            million.load(models)
        say(what="loaded", seeds=1, seconds=round(time.perf_counter() - began))
        return
    answers, every = million.Answers(), questions()
    seed = seeds_there()
    for number, run in enumerate(Run.objects.order_by("pk")):
        if seed in run.seeds:
            continue
        with transaction.atomic():
            run.seeds = [*run.seeds, seed]
            answers.write(run, every[run.pack_id, run.strategy], 0.42 + 0.5 * number / 240, seeds=[seed])
            Run.objects.filter(pk=run.pk).update(seeds=run.seeds, answers_version=F("answers_version") + 1)
    million.analyse()
    say(what="loaded", seeds=seed + 1, seconds=round(time.perf_counter() - began))


def questions() -> dict[tuple[int, str], list[Any]]:
    """(pack, strategy) -> its questions, as written with the packs."""
    from benchmarks.disclosure import SCORER, with_expected
    from benchmarks.models import ItemMedia
    from evaluation.models import Cell, Run
    from tools.bench.board.million import Question

    found: dict[tuple[int, str], list[Any]] = {}
    clips = dict(ItemMedia.objects.values_list("item_id", "clip_id"))
    for run in Run.objects.order_by("pk"):
        if (run.pack_id, run.strategy) not in found:
            cells = with_expected(Cell.objects.filter(run=run, seed=0), to=SCORER, item="item").order_by("pk")
            rows = cells.values_list("item_id", "expected", "item__options")
            found[run.pack_id, run.strategy] = [
                Question(pk, clips[pk], expected or "", next(option for option in options if option != expected))
                for pk, expected, options in rows
            ]
    return found


def standings_are_made(deadline: float) -> bool:
    """Compute all stale standings and runs' stored results; False if the deadline passes first."""
    from evaluation.runs.results import store_results
    from leaderboard.standings import refresh

    began, done = time.perf_counter(), 0
    while batch := list(refresh.stale_runs().select_related("model", "pack")[:AT_ONCE_RUNS]):
        if time.monotonic() > deadline:
            return False
        for run in batch:
            refresh.store(refresh.rows_of_run(run), source={"run": run}, version=run.answers_version)
            store_results(run)
        done += len(batch)
    refresh.refresh()
    if done:
        say(what="standings", rows=done, seconds=round(time.perf_counter() - began))
    return True


def measure(size: int) -> None:
    """Measure the figures of tools/bench/board/page_million.py at this size and store them."""
    from django.core.cache import cache as stored
    from django.db import connection

    from evaluation.models import ModelResponse
    from tools.bench.board import page_million as board
    from tools.bench.board.page_million import slowest_new_row

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size_gb = cursor.fetchone()[0] / 1e9
    board.cost(board.BOARD)
    found: dict[str, Any] = {
        "board, kept": board.median_of(40, board.BOARD)["ms"],
        "board, drawn anew": board.median_of(5, board.BOARD, stored.clear)["ms"],
        **{name: board.median_of(5, address)["ms"] for name, address in board.LISTS.items()},
    }
    found["a new run on the board"] = 1000 * (seconds := slowest_new_row())
    is_ok = found["board, kept"] < WARM_MS and seconds < NEW_ROW_S
    line = {
        "millions": size,
        "responses": ModelResponse.objects.count(),
        "database_gb": round(size_gb, 2),
        "ms": {name: round(value, 1) for name, value in found.items()},
        "load": round(os.getloadavg()[0], 1),
        "ok": is_ok,
    }
    with RESULTS.open("a") as file:
        file.write(json.dumps(line) + "\n")
    say(is_ok, **{name: value for name, value in line.items() if name not in ("load", "ok")})


def measured() -> dict[int, dict[str, Any]]:
    """Millions -> stored results."""
    lines = RESULTS.read_text().splitlines() if RESULTS.is_file() else []
    return {line["millions"]: line for line in map(json.loads, lines)}


def slope(pairs: list[tuple[float, float]]) -> float:
    """Milliseconds per further million responses, by least squares."""
    return statistics.linear_regression(*zip(*pairs, strict=True)).slope if len(pairs) > 1 else float("nan")


def print_table() -> None:
    """All sizes side by side, and the slope of every figure by least squares."""
    found = [line for _, line in sorted(measured().items())]
    rows = [["ms", *(f"{one['responses']:,}" for one in found), "a million more adds"], ["---"] * (len(found) + 2)]
    for name in found[-1]["ms"]:
        pairs = [(one["responses"] / 1e6, one["ms"][name]) for one in found]
        rows.append([name, *(f"{value:,.1f}" for _, value in pairs), f"{slope(pairs):+.2f}"])
    rows.append(["database, GB", *(str(one["database_gb"]) for one in found), ""])
    rows.append(["processes that wanted a core", *(str(one["load"]) for one in found), ""])
    print("".join(f"| {' | '.join(row)} |\n" for row in rows), flush=True)


def drop() -> int:
    from tests.humantrials.subprocesses import own_postgres

    own_postgres(DATABASE, "DROP")
    shutil.rmtree(FOLDER, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
