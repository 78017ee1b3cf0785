"""`make shots`: screenshots of every page state in var/shots/ (wide, phone, dark), and the browser's complaints.

Those that the documentation shows are written to docs/shots/ as well, and are the only ones in git.

Uses the content of the current data folder (run `make demo` first) and starts a site on a free port. Participants'
pages come from a small staged site with one trial for each protocol and stand-in clips.
"""

import io
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django  # noqa: E402

django.setup()

from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from benchmarks.disclosure import PUBLIC, Fact, open_to  # noqa: E402
from benchmarks.models import Item, Origin, Pack  # noqa: E402
from benchsite.serving.processes import Keeper, stop_all  # noqa: E402
from benchsite.serving.serve import free_port, start_services, wait_until_it_answers  # noqa: E402
from evaluation.models import Model, Run  # noqa: E402
from leaderboard.analyses.registry import ANALYSES  # noqa: E402
from leaderboard.models import Snapshot, Standing  # noqa: E402
from tests.humantrials.browser_participant import Seat  # noqa: E402
from tests.humantrials.browser_walk import journey  # noqa: E402
from tests.humantrials.site import staged_site  # noqa: E402
from tests.site import Site  # noqa: E402

OUT = ROOT / "var" / "shots"
PICTURES = ROOT / "docs" / "shots"
LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light", "has_touch": True},
    "dark": {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"},
}
PAGES = {
    "home": "/",
    "boards": "/leaderboard/",
    "board": "/leaderboard/grasp/",
    "board-level-2": "/leaderboard/grasp/?level=2",
    "board-concepts": "/leaderboard/grasp/?level=2&group=concept",
    "board-tests": "/leaderboard/grasp/?level=2&group=test",
    "board-chart": "/leaderboard/grasp/?level=2&chart=profile",
    "board-cot": "/leaderboard/grasp/?level=1&strategy=binary-cot",
    "board-empty-search": "/leaderboard/grasp/?search=nobody",
    "figure-3": "/leaderboard/grasp/figure-3/",
    **{
        f"chart-{name}": f"/leaderboard/grasp/charts/{name}/?level=2"
        for name in ("gaps", "profile", "slopes", "bias", "people")
    },
    **{f"analysis-{name}": f"/leaderboard/grasp/{name}/" for name in ANALYSES},
    "health": "/leaderboard/grasp/health/?level=2",
    "blind": "/leaderboard/grasp/blind/",
    "rounds": "/leaderboard/grasp/rounds/",
    "concepts": "/concepts/",
    "explore": "/explore/",
    "docs": "/docs/",
    "table-1": "/leaderboard/grasp/tables/grasp-table-1/",
    **{f"board-{slug}": f"/leaderboard/{slug}/" for slug in ("craft", "pacs", "giraffe")},
    "board-giraffe-choice": "/leaderboard/giraffe/?level=4",
    "referees": "/leaderboard/giraffe/referees/",
    "giraffe-table-1": "/leaderboard/giraffe/tables/giraffe-table-1/",
    "sound": "/leaderboard/pacs/sound/",
    "statistics": "/about/statistics/",
    "snapshots": "/snapshots/",
    "board-refused": "/leaderboard/grasp/?strategy=magic",
    "benchmarks": "/benchmarks/",
    "benchmark": "/benchmarks/grasp/",
    "gallery": "/benchmarks/grasp/items/",
    **{f"benchmark-{slug}": f"/benchmarks/{slug}/" for slug in ("craft", "pacs", "giraffe")},
    "gallery-giraffe": "/benchmarks/giraffe/items/",
    "models": "/models/",
    "trials": "/trials/",
    "trial": "/trials/try-it/",
    "trial-entry": "/t/try-it/",
    "submit": "/submit/",
    "login": "/account/sign-in/",
    "api-docs": "/api/v1/docs/",
    "missing": "/no-such-page/",
}
NOT_THERE = ("missing", "board-refused")
# A trial for each protocol whose participation pages look different, and the pages not shared with the first.
ROADS: dict[str, dict[str, Any]] = {
    "walk": {"replicates": 4, "seal": False},
    "pairs": {"protocol": "pacs-audio", "replicates": 4, "items": 2, "qualified": " ".join(LOOKS)},
    "parts": {"protocol": "craft-five-part", "replicates": 2, "items": 10},
    "rated": {"protocol": "giraffe-rating", "replicates": 3, "items": 1},
    "picked": {"protocol": "giraffe-choice", "replicates": 3, "items": 2},
}
OWN_PAGES = {
    "pairs": ("sound", "sound again", "quiz", "quiz again", "practice", "clip", "clip with answers open", "break"),
    "parts": ("consent", "instructions", "clip", "clip with answers open"),
    "rated": ("consent", "instructions", "question"),
    "picked": ("consent", "instructions", "question"),
}


def pages_of_rows() -> dict[str, str]:
    """URLs of an item of each kind, a run, a model and a snapshot, as far as they exist."""
    pack = Pack.objects.filter(benchmark="grasp").first()
    patterns = (
        Item.objects.filter(pack__benchmark="giraffe", pack__origin=Origin.GENERATED)
        .filter(open_to(PUBLIC, Fact.ANSWER))
        .order_by("pk")
    )
    found: dict[str, Any] = {
        **{f"item-{kind}": patterns.filter(kind=kind).first() for kind in ("images", "video", "choice")},
        "run-refereed": Run.objects.filter(state="finished", pack__benchmark="giraffe").exclude(referee="").first(),
        "snapshot": Snapshot.objects.first(),
        "item": Item.objects.filter(pack=pack, kind="binary").filter(open_to(PUBLIC, Fact.ANSWER)).first(),
        "item-level-2": Item.objects.filter(pack=pack, kind="plausibility")
        .filter(open_to(PUBLIC, Fact.ANSWER))
        .first(),
        "run": Run.objects.filter(state="finished").first(),
        "model": Model.objects.filter(made_here=True).first() or Model.objects.first(),
    }
    paths = {name: row.get_absolute_url() for name, row in found.items() if row}
    paths |= {f"{name}-answer": f"{path}?answer=1" for name, path in paths.items() if name.startswith("item")}
    people, model = (
        Standing.objects.exclude(trial=None).first(),
        Standing.objects.filter(strategy="plausibility").last(),
    )
    if people and people.trial and model and model.run_id:
        row = f"/leaderboard/grasp/items/?row=run-{model.run_id}&level=2"
        paths["compare"] = f"/compare/?a=trial-{people.trial.slug}&b=run-{model.run_id}"
        paths |= {"items": row, "items-at-odds": f"{row}&show=disputed"}
    return paths


def picture(page: Page, name: str, *, whole: bool = True) -> None:
    """Save a screenshot in 256 colours: it looks the same and has a third of the bytes."""
    seen = Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")
    file = OUT / f"{name}.png"
    seen.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    if (PICTURES / file.name).is_file():
        shutil.copy(file, PICTURES)


def shoot(page: Page, base: str, name: str, look: str, path: str) -> list[str]:
    """Take a screenshot; return the page's console errors and overflow."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(base + path, wait_until="load")
    page.wait_for_timeout(600)
    picture(page, f"{name}-{look}", whole=name != "gallery")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{name} ({look}): {text}" for text in complaints if "404" not in text or name not in NOT_THERE] + (
        [f"{name} ({look}): {wide} px wider than the window"] if wide > 0 else []
    )


def participant_pages(site: Site, browser: Browser, trial: str, look: str) -> list[str]:
    """Take screenshots of a participant's pages in this trial; return the browser's complaints."""
    context = browser.new_context(**LOOKS[look])
    seat = Seat(site, context, look)
    for name in journey(seat, trial, "en"):
        seat.page.wait_for_timeout(300)
        if name in OWN_PAGES.get(trial, (name,)):
            picture(seat.page, f"road-{trial}-{name.replace(' ', '-')}-{look}")
    context.close()
    return [
        f"{trial} ({look}): {complaint}" for complaint in seat.complaints if "403" not in complaint
    ]  # an invitation's 403


def marked_for_repair(site: Site, browser: Browser, look: str) -> None:
    """Take a screenshot of the page that gives the code although answers are missing."""
    context = browser.new_context(**LOOKS[look])
    seat = Seat(site, context, f"repair-{look}").reach_trials()
    context.request.post(f"{seat.page.url}code/")
    seat.page.reload()
    picture(seat.page, f"road-walk-repair-{look}")
    context.close()


def roads(browser: Browser) -> list[str]:
    """Take screenshots of every protocol's participation pages in every look; return the complaints."""
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as folder, staged_site(Path(folder), ROADS) as site:
        for look in LOOKS:
            for trial in ROADS:
                complaints += participant_pages(site, browser, trial, look)
            marked_for_repair(site, browser, look)
    return complaints


def main() -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    port = free_port("127.0.0.1")
    keepers: list[Keeper] = []
    complaints: list[str] = []
    try:
        keepers, *_ = start_services(host="127.0.0.1", port=port)
        wait_until_it_answers("127.0.0.1", port, keepers)
        rows, base = PAGES | pages_of_rows(), f"http://localhost:{port}"
        with sync_playwright() as play:
            browser = play.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-background-networking"]
            )
            for look, options in LOOKS.items():
                context = browser.new_context(**options)
                for name, path in rows.items():
                    page = context.new_page()
                    complaints += shoot(page, base, name, look, path)
                    page.close()
                context.close()
            complaints += roads(browser)
            browser.close()
    finally:
        stop_all(keepers)
    print("\n".join(complaints) or f"{len(rows)} pages in {len(LOOKS)} looks, no complaint", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's loop runs in this thread; rows are read before
    sys.exit(main())
