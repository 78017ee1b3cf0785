"""Duration of a large upload (62,500 items with 16 seeds, 1,000,000 rows): linting, then storing and scoring.

`python -m bench.submissions.large_upload [ITEMS]` prints a JSON object for each step: rows, seconds, processor seconds,
peak memory. Each step runs in its own process, as on the site, on an SQLite database in a temporary folder.
"""

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ITEMS, SEEDS = 62_500, 16
BATCH = 5_000


def set_up(folder: Path) -> None:
    """Set up Django on an empty database in this folder."""
    os.environ |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.conf import settings
    from django.core.management import call_command

    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    django.setup()
    call_command("migrate", verbosity=0)


def fill(items: int) -> None:
    """Create a pack of yes/no items and a submitter."""
    from accounts.models import User
    from benchmarks.models import Item, ItemFacet, Pack

    User.objects.create_user("sender")
    pack = Pack.objects.create(
        benchmark="grasp",
        name="large",
        title="A large pack",
        origin="generated",
        definition_version="1.0",
        manifest_hash="0" * 64,
    )
    for start in range(0, items, BATCH):
        made = Item.objects.bulk_create(
            Item(
                pack=pack,
                key=f"level1/ColorRed/{number:06}",
                kind="binary",
                variant="true",
                text="Is it red?",
                public_id=f"i{number:011}",
                answer_kind="yes-no",
                options=["yes", "no"],
                expected="yes" if number % 2 else "no",
            )
            for number in range(start, min(start + BATCH, items))
        )
        facets = (("split", "all"), ("level", "1"), ("test", "Color"), ("polarity", "positive"))
        ItemFacet.objects.bulk_create(
            ItemFacet(item=item, name=name, value=value) for item in made for name, value in facets
        )


def write_answers(path: Path, items: int) -> None:
    """Write a compressed file of raw replies."""
    header = {
        "benchmark": "grasp",
        "pack": "large",
        "model": "Large",
        "strategy": "binary",
        "condition": "video",
        "split": "all",
    }
    with gzip.open(path, "wt", compresslevel=5) as file:
        file.write(json.dumps(header) + "\n")
        for seed in range(SEEDS):
            for number in range(items):
                reply = "Yes, it is." if (number * 7 + seed) % 3 else "No."
                file.write(json.dumps({"item": f"i{number:011}", "reply": reply, "seed": seed}) + "\n")


def measured(name: str, rows: int, *command: str) -> dict[str, object]:
    """Run the command in a separate process; return its time and peak memory."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "manage.py", *command, "--json"], cwd=ROOT, stdout=subprocess.PIPE)
    out = process.stdout.read() if process.stdout else b""
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    report = json.loads(out or b"{}")
    return {
        "what": name,
        "rows": rows,
        "ok": report.get("ok"),
        "score": report.get("score"),
        "seconds": round(time.monotonic() - began, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": usage.ru_maxrss // 1024,
    }


def main(items: int = ITEMS) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        set_up(folder)
        fill(items)
        path = folder / "answers.jsonl.gz"
        write_answers(path, items)
        rows = items * SEEDS
        for step in (
            measured("lint", rows, "lint_submission", str(path)),
            measured("lint, store and score", rows, "submit", str(path), "--as", "sender"),
        ):
            print(json.dumps(step), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
