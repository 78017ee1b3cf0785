"""Ten million answers of 100 models on PostgreSQL, in a board of 1,000 columns: how time and memory grow with them.

`python -m tools.bench.board.ten_million [--within 540] [--models 100]` continues where it stopped, for so many
seconds. One benchmark of its own asks 100,000 questions of 1,000 kinds, a hundred of each; every model answers all. At
10, 30, 60 and 100 models it updates the standings, then measures. Its database `ten_million` is on the server of
TEST_POSTGRES_URL; results are stored in var/ten-million, and at the end printed. Exit 0 when done, 1 if a target is
missed, 3 when there is more to do; `--drop` deletes database and folder.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from typing import Any

from tools.bench.measure import AS_SERVED, ROOT, say, start_django

DATABASE, FOLDER = "ten_million", ROOT / "var" / "ten-million"
RESULTS = FOLDER / "results.jsonl"
SIZES = (10, 30, 60, 100)  # models; each gives 100,000 answers
COLUMNS, QUESTIONS, QUESTIONS_A_CLIP = 1_000, 100, 4  # questions of each column
WARM_MS, STANDINGS_S = 60, 10  # of a new run of 100,000 answers
MORE = 3  # exit code
SLUG, WAY = "wide", "wide-direct"
BOARD = f"/leaderboard/{SLUG}/?strategy={WAY}"
TOML = f"""schema = 1
slug = "{SLUG}"
title = "Wide"
question = "Does a board hold a thousand columns?"
version = "1.0"
licence = "CC0"

[[facets]]
name = "test"
title = "Kind"

[[kinds]]
name = "statement"
title = "True or not"
answer = "yes-no"

[[prompts]]
name = "{WAY}"
title = "direct"
text = "{{question}} Answer only with yes or no."
"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--within", type=float, default=540.0, help="seconds")
    parser.add_argument("--models", type=int, default=SIZES[-1], help="fewer for a try")
    parser.add_argument("--more-is-fine", action="store_true", help="exit 0, too, when there is more to do")
    parser.add_argument("--drop", action="store_true")
    options = parser.parse_args(arguments)
    return drop() if options.drop else go_on(options)


def go_on(options: argparse.Namespace) -> int:
    """Continue where the last call stopped until the time is over; return the exit code."""
    more = 0 if options.more_is_fine else MORE
    set_up()
    from evaluation.models import Run
    from tools.bench.board.page_million import take_away

    take_away()  # remains if the last call was stopped while measuring
    deadline = time.monotonic() + options.within
    way = wide()
    for size in [size for size in SIZES if size <= options.models]:
        while (number := Run.objects.count()) < size:
            if time.monotonic() > deadline:
                return more
            add_run(way, number)
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


def wide() -> Any:
    """The way of asking with all its questions; the benchmark and its pack are written the first time."""
    from django.db import transaction

    from benchmarks.definitions.files.contradictions import read_text
    from benchmarks.models import BenchmarkFile, Pack
    from benchmarks.packs.benchmark_files import _save
    from tools.bench.board.million import Packs, Question, Way

    if not BenchmarkFile.objects.exists():
        with transaction.atomic():
            _save(read_text(TOML), {"test": tuple(f"kind {n:04}" for n in range(COLUMNS))}, None)
            Packs().write(SLUG, list(pack_items()))
    pack = Pack.objects.get()
    known = [(n, "yes" if n % 2 else "no") for n in range(COLUMNS * QUESTIONS)]
    questions = [
        Question(1 + n, 1 + n // QUESTIONS_A_CLIP, answer, "no" if answer == "yes" else "yes") for n, answer in known
    ]
    return Way(WAY, pack.pk, "one-option", tuple(questions))


def pack_items() -> Iterator[Any]:
    from tools.bench.board.million import PackItem

    for n in range(COLUMNS * QUESTIONS):
        facets = (("level", "1"), ("split", "all"), ("test", f"kind {n % COLUMNS:04}"))
        answer = "yes" if n % 2 else "no"
        yield PackItem(f"q{n}", n // QUESTIONS_A_CLIP, "statement", "", "yes-no", answer, facets)


def add_run(way: Any, number: int) -> None:
    """Write a finished run of one more model, in one transaction, so that a killed call can continue."""
    from tools.bench.board import million

    began = time.perf_counter()
    million.make_run(million.Answers(), way, number, of=SIZES[-1])
    if number % 10 == 9:
        million.analyse()
    say(what="answers", models=number + 1, seconds=round(time.perf_counter() - began, 1))


def standings_are_made(deadline: float) -> bool:
    """Compute all stale standings and runs' stored results; False if the deadline passes first."""
    from evaluation.runs.results import store_results
    from leaderboard.standings import refresh

    began, done = time.perf_counter(), 0
    for run in refresh.stale_runs().select_related("model", "pack"):
        if time.monotonic() > deadline:
            return False
        refresh.store(refresh.rows_of_run(run), source=run, version=run.answers_version)
        store_results(run)
        done += 1
    refresh.refresh()
    if done:
        say(what="standings", rows=done, seconds=round(time.perf_counter() - began))
    return True


def measure(size: int) -> None:
    """Measure pages, a new row and the processes' memory at this size, and store them."""
    from evaluation.models import ModelResponse
    from tools.bench.board.page_million import NewRow

    line: dict[str, Any] = {"models": size, "answers": ModelResponse.objects.count(), **of_the_page()}
    row = NewRow(BOARD, WAY, seeds=[0])
    shown, computed = row.slowest(), seconds_of_standings(row)
    line |= {"standings of a new run, s": round(computed, 1), "a new run on the board, s": round(shown, 1)}
    line |= {"worker, MB": row.memory["cpu worker"], "web process, MB": row.memory["web"]}
    is_ok = say(line["board, kept, ms"] < WARM_MS and computed < STANDINGS_S, **line)
    with RESULTS.open("a") as file:
        file.write(json.dumps(line | {"load": round(os.getloadavg()[0], 1), "ok": is_ok}) + "\n")


def of_the_page() -> dict[str, float]:
    """Sizes of the database and of the board's page, and the page's times."""
    from django.core.cache import cache as stored
    from django.db import connection

    from tools.bench.board.page_million import median_of, visitor

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size_gb = cursor.fetchone()[0] / 1e9
    return {
        "database, GB": round(size_gb, 2),
        "page, MB": round(len(visitor().get(BOARD).content) / 1e6, 2),
        "board, drawn anew, ms": min(median_of(1, BOARD, stored.clear)["ms"] for _ in range(3)),
        "board, kept, ms": median_of(20, BOARD)["ms"],
    }


def seconds_of_standings(row: Any) -> float:
    """From the last answer of a new run to its stored results and standings."""
    from evaluation.runs.completion import settle
    from leaderboard.standings import refresh
    from tools.bench.board.page_million import take_away

    run = row.answered_run()
    began = time.perf_counter()
    settle(run.pk)
    run.refresh_from_db()
    refresh.store(refresh.rows_of_run(run), source=run, version=run.answers_version)
    seconds = time.perf_counter() - began
    take_away()
    return seconds


def measured() -> dict[int, dict[str, Any]]:
    """Number of models -> stored results."""
    lines = RESULTS.read_text().splitlines() if RESULTS.is_file() else []
    return {line["models"]: line for line in map(json.loads, lines)}


def print_table() -> None:
    """All sizes side by side."""
    found = [line for _, line in sorted(measured().items())]
    names = [name for name in found[-1] if name != "ok"]
    head = [[names[0], *(str(one["models"]) for one in found)], ["---"] * (len(found) + 1)]
    rows = [[name, *(f"{one[name]:,}" for one in found)] for name in names[1:]]
    print("".join(f"| {' | '.join(row)} |\n" for row in (*head, *rows)), flush=True)


def drop() -> int:
    from tests.humantrials.subprocesses import own_postgres

    own_postgres(DATABASE, "DROP")
    shutil.rmtree(FOLDER, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
