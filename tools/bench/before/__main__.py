"""Freezes what this site's database says, and tells each difference later (a line each; exit 1 if there is one).

DATA_DIR=… python -m tools.bench.before freeze DIR [--only figures answers prompts clips looks]
DATA_DIR=… python -m tools.bench.before compare DIR [DIR2] [--only …]: with the database, or with DIR2
DATA_DIR=… python -m tools.bench.before recompute DIR: with figures that today's code computes in a copy of the database
(which has to have the present tables)
python -m tools.bench.before keep DIR FILE …: JSON lines of benchmarks, whose ratios `compare DIR DIR2` tells beside

`looks`, small packs drawn in each look, take minutes: only if they are named.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import django
from django.apps import apps

from tools.bench.before.store import Flat, differences, flat, read, write

PARTS = ("figures", "answers", "prompts", "clips")
BENCH = "bench "  # begins the names of parts that are told and never a difference


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.before", description=__doc__)
    parser.add_argument("act", choices=("freeze", "compare", "recompute", "keep"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("others", type=Path, nargs="*")
    parser.add_argument("--only", nargs="+", default=PARTS, choices=(*PARTS, "looks"))
    options = parser.parse_args(words)
    if options.act == "recompute":
        return recompute(options.folder)
    if options.act == "compare":
        return compare(options.folder, read(options.others[0]) if options.others else None, options.only)
    for part in options.only if options.act == "freeze" else ():
        write(options.folder, part, made(part))
    for file in options.others:
        write(options.folder, f"{BENCH}{file.stem}", measured(file))
    return 0


def made(part: str) -> Flat:
    """This part as the database and the code have it now."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    if not apps.ready:
        django.setup()
    from tools.bench.before import clips, figures, prompts

    makers = {"figures": figures.figures, "answers": figures.answers, "prompts": prompts.prompts}
    return ({**makers, "clips": clips.stored, "looks": clips.generated})[part]()


def compare(folder: Path, now: dict[str, Flat] | None, only: Sequence[str]) -> int:
    count = 0
    for part, before in read(folder).items():
        if part.startswith(BENCH):
            after = (now or {}).get(part, {})
            for key in [
                key for key, old in before.items() if old and {type(old), type(after.get(key))} <= {int, float}
            ]:
                print(f"# {part}", key, before[key], after[key], f"x {after[key] / before[key]:.2f}", sep="\t")
        elif part in only:
            after = now.get(part, {}) if now else json.loads(json.dumps(made(part)))  # tuples are lists in files
            for values in differences(before, after):
                print(part, *values, sep="\t")
                count += 1
    return int(count > 0)


def recompute(folder: Path) -> int:
    state = Path(os.environ["DATA_DIR"]).resolve()
    with tempfile.TemporaryDirectory() as place:
        (copy := Path(place) / "var").mkdir()
        for file in (*state.iterdir(), *(state / "var").iterdir()):
            if file.name != "var" and not file.name.startswith(("db.", "queue")):  # media are read where they are
                (Path(place) / file.relative_to(state)).symlink_to(file)
        with sqlite3.connect(state / "var" / "db.sqlite3") as old, sqlite3.connect(copy / "db.sqlite3") as new:
            old.backup(new)
        os.environ |= {"DATA_DIR": place, "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
        django.setup()
        from django.core.management import call_command

        from leaderboard.models import Standing
        from leaderboard.standings.refresh import refresh

        call_command("migrate", verbosity=0)
        Standing.objects.all().delete()
        refresh()
        return compare(folder, None, ("figures", "answers"))


def measured(file: Path) -> Flat:
    """The JSON lines of a benchmark, with the commit (if this is a repository), the date and this machine's speed."""
    lines = [json.loads(line) for line in file.read_text().splitlines() if line.startswith("{")]
    git = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    speed = min(timeit.repeat("for number in range(10**7): total += number", "total = 0", number=1, repeat=3))
    about = {
        "commit": git.stdout.strip() or None,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "seconds of ten million": speed,
    }
    return about | flat(lines, "line")


if __name__ == "__main__":
    sys.exit(main())
