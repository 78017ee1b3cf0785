"""Lighthouse 12 on the home page, a board, a model, a concept and an item, as on a phone: medians of five, at least 97.

`python -m bench.pages.lighthouse` installs Lighthouse into var/lighthouse with npm, fills a temporary folder with eight
real clips, runs on them and a board of forty rows, and prints a JSON object for each page; exit 1 if a target is missed
or npm is missing. With DATA_DIR set to a filled data folder (after `make demo`) it uses that one.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
VERSION = "12.8.2"
TOOLS = ROOT / "var" / "lighthouse"
CHROMIUM = "/usr/bin/chromium"
WANTED, TIMES, TRIES = 97, 5, 3
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
BOARD, MODEL, CONCEPT = "/leaderboard/grasp/?level=2", "/models/random/", "/concepts/gravity/"
SCENES = "ColorRed,ShapeCube,DirectionLeft,TwoObjectOrdering,Gravity,Collision"
MODELS, STRATEGIES = ("random", "always-yes"), ("binary", "plausibility")


def lighthouse() -> Path:
    """Path of the program, which is installed on first use; SystemExit with a message if that fails."""
    program = TOOLS / "node_modules" / "lighthouse" / "cli" / "index.js"
    if program.is_file():
        return program
    if not shutil.which("npm"):
        raise SystemExit(
            "lighthouse needs npm, which is not installed: apt-get install npm, or nodejs.org, Node 18.16 on"
        )
    TOOLS.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--prefix", TOOLS, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    subprocess.run([*map(str, command), f"lighthouse@{VERSION}"], stdout=sys.stderr, check=True)
    return program


def manage(*arguments: str) -> None:
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, stdout=sys.stderr, check=True)


def fill(folder: str) -> None:
    """Fill the data folder with eight clips, a pack of them, and runs of two models."""
    clips = f"{folder}/clips"
    manage("migrate", "-v0")
    manage(
        "generate_benchmark",
        "grasp",
        "--out",
        clips,
        "--count",
        "1",
        "--only",
        SCENES,
        "--size",
        "320x240",
        "--fps",
        "25",
    )
    manage("import_benchmark", "grasp", clips, "--pack", "small")
    for model in MODELS:
        for strategy in STRATEGIES:
            manage("start_run", "--model", model, "--benchmark", "grasp", "--strategy", strategy, "--wait")


def fill_board() -> None:
    """Create the board of bench/board/page.py; Django must be set up."""
    from django.db import transaction

    from bench.board import page
    from leaderboard.standings.refresh import refresh

    with transaction.atomic():
        pack, items = page.make_items()
        for number in range(page.RUNS):
            page.make_run(pack, items, number)
    refresh()


def pages() -> dict[str, str]:
    from benchmarks.models import Item

    item = Item.objects.filter(kind="plausibility", media__clip__renditions__isnull=False).unsealed().first()
    assert item is not None, "no item with a clip: fill the data folder with `make demo` first"
    return {"home": "/", "board": BOARD, "model": MODEL, "concept": CONCEPT, "item": item.get_absolute_url()}


def scores(program: Path, address: str) -> dict[str, Any]:
    """Lighthouse's scores of a page, 0 to 100, and the audits that lost points."""
    report = looked_at(program, address)
    found: dict[str, Any] = {name: round(100 * report["categories"][name]["score"]) for name in CATEGORIES}
    return found | {"lost": list(_lost(report))}


def looked_at(program: Path, address: str) -> dict[str, Any]:
    """Lighthouse's report of a page; a failed attempt is repeated."""
    command = [
        "node",
        program,
        address,
        "--quiet",
        "--output=json",
        f"--only-categories={','.join(CATEGORIES)}",
        "--chrome-flags=--headless=new --no-sandbox --disable-background-networking",
    ]
    env = os.environ | {"CHROME_PATH": CHROMIUM}
    for _ in range(TRIES):
        done = subprocess.run([*map(str, command)], env=env, stdout=subprocess.PIPE, text=True)
        if done.returncode == 0:
            return json.loads(done.stdout)
    raise SystemExit(f"lighthouse failed {TRIES} times at {address}: its words stand above")


def _lost(report: dict[str, Any]) -> Iterator[str]:
    for name in CATEGORIES:
        for part in report["categories"][name]["auditRefs"]:
            audit = report["audits"][part["id"]]
            if part["weight"] and audit["score"] is not None and audit["score"] < 1:
                yield f"{part['id']} {audit.get('displayValue', '')}".strip().replace("\xa0", " ")


def measure(program: Path, base: str) -> bool:
    all_ok = True
    for name, path in pages().items():
        looks = [scores(program, base + path) for _ in range(TIMES)]
        found = {category: round(statistics.median(look[category] for look in looks)) for category in CATEGORIES}
        is_ok = min(found.values()) >= WANTED
        lost = sorted({audit for look in looks for audit in look["lost"]})
        print(
            json.dumps(
                {"page": name, **found, "times": TIMES, "lost": lost, "load": round(os.getloadavg()[0], 1), "ok": is_ok}
            ),
            flush=True,
        )
        all_ok &= is_ok
    return all_ok


def main() -> int:
    program = lighthouse()
    with tempfile.TemporaryDirectory() as folder:
        is_ours = "DATA_DIR" not in os.environ
        os.environ.setdefault("DATA_DIR", folder)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
        if is_ours:
            fill(folder)
        import django

        django.setup()
        if is_ours:
            fill_board()
        from benchsite.supervisor.serve import free_port, start_services, stop_all, wait_until_it_answers

        port = free_port("127.0.0.1")
        keepers, _ = start_services(host="127.0.0.1", port=port)
        try:
            wait_until_it_answers("127.0.0.1", port, keepers)
            return 0 if measure(program, f"http://localhost:{port}") else 1
        finally:
            stop_all(keepers)


if __name__ == "__main__":
    sys.exit(main())
