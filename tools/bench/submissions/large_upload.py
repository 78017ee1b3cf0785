"""Duration of a large upload (62,500 items with 16 seeds, 1,000,000 rows): linting, then storing and scoring.

`python -m tools.bench.submissions.large_upload [ITEMS]` prints a JSON object for each step: rows, seconds, processor
seconds, peak memory. Each step runs in its own process, as on the site, on an SQLite database in a temporary folder.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.bench.board.million import PackItem, Packs
from tools.bench.measure import ROOT, say, set_up

ITEMS, SEEDS = 62_500, 16
FACETS = (("split", "all"), ("level", "1"), ("test", "Color"), ("polarity", "positive"))
HEADER = {"benchmark": "grasp", "pack": "large", "model": "Large", "strategy": "binary"}
HEADER |= {"condition": "video", "split": "all"}


def fill(items: int) -> None:
    """Create a pack of yes/no items and a submitter."""
    from accounts.models import User

    User.objects.create_user("sender")
    made = [
        PackItem(
            f"level1/ColorRed/{number:06}", number, "binary", "true", "yes-no", "no" if number % 2 else "yes", FACETS
        )
        for number in range(items)
    ]
    Packs().write("grasp", made, "large")


def write_answers(path: Path, items: int) -> None:
    """Write a compressed file of raw replies."""
    with gzip.open(path, "wt", compresslevel=5) as file:
        file.write(json.dumps(HEADER) + "\n")
        for seed in range(SEEDS):
            for number in range(items):
                reply = "Yes, it is." if (number * 7 + seed) % 3 else "No."
                file.write(json.dumps({"item": f"{1 + number:012}", "reply": reply, "seed": seed}) + "\n")


def measured(name: str, rows: int, *command: str) -> bool:
    """Run the command in a separate process; print its time and peak memory."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "manage.py", *command, "--json"], cwd=ROOT, stdout=subprocess.PIPE)
    report = json.loads((process.stdout.read() if process.stdout else b"") or b"{}")
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds, spent = round(time.monotonic() - began, 1), round(usage.ru_utime + usage.ru_stime, 1)
    found = {"score": report.get("score"), "seconds": seconds, "cpu_seconds": spent}
    return say(process.returncode == 0, what=name, rows=rows, **found, peak_mb=usage.ru_maxrss // 1024)


def main(items: int = ITEMS) -> int:
    with tempfile.TemporaryDirectory() as name:
        path, rows = Path(name) / "answers.jsonl.gz", items * SEEDS
        set_up(name)
        fill(items)
        write_answers(path, items)
        linted = measured("lint", rows, "submit", "--check", str(path))
        stored = measured("lint, store and score", rows, "submit", str(path), "--as", "sender")
    return 0 if linted and stored else 1


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
