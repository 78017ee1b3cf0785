"""`make shots`: pictures of every page state into docs/shots/ (wide, 360 px, dark), and what the browser said.

Works on the content of the current data folder (run `make demo` first); starts a site of its own on a free port.
"""

import io
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django  # noqa: E402

django.setup()

from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from benchmarks.models import Item, Pack  # noqa: E402
from benchsite.processes import Keeper  # noqa: E402
from benchsite.serving import free_port, start_services, stop_all, wait_until_it_answers  # noqa: E402
from evaluation.models import Model, Run  # noqa: E402
from leaderboard.models import Standing  # noqa: E402

OUT = ROOT / "docs" / "shots"
LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "phone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "light", "has_touch": True},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}
PAGES = {
    "home": "/",
    "boards": "/leaderboard/",
    "board": "/leaderboard/grasp/",
    "board-level-2": "/leaderboard/grasp/?level=2",
    "board-concepts": "/leaderboard/grasp/?level=2&group=concept",
    "board-cot": "/leaderboard/grasp/?level=1&strategy=binary-cot",
    "board-empty-search": "/leaderboard/grasp/?search=nobody",
    "figure-3": "/leaderboard/grasp/figure-3/",
    "benchmarks": "/benchmarks/",
    "benchmark": "/benchmarks/grasp/",
    "gallery": "/benchmarks/grasp/items/",
    "models": "/models/",
    "trials": "/trials/",
    "trial": "/trials/try-it/",
    "trial-entry": "/t/try-it/",
    "submit": "/submit/",
    "login": "/account/sign-in/",
    "api-docs": "/api/v1/docs/",
    "missing": "/no-such-page/",
}


def pages_of_rows() -> dict[str, str]:
    """One item, one run and one model, where they exist."""
    pack = Pack.objects.filter(benchmark="grasp").first()
    found = {
        "item": Item.objects.filter(pack=pack, kind="binary").unsealed().first(),
        "item-level-2": Item.objects.filter(pack=pack, kind="plausibility").unsealed().first(),
        "run": Run.objects.filter(state="finished").first(),
        "model": Model.objects.filter(made_here=True).first() or Model.objects.first(),
    }
    paths = {name: row.get_absolute_url() for name, row in found.items() if row}
    people, model = (
        Standing.objects.exclude(trial=None).first(),
        Standing.objects.filter(strategy="plausibility").last(),
    )
    if people and people.trial and model and model.run_id:
        paths["compare"] = f"/compare/?a=trial-{people.trial.slug}&b=run-{model.run_id}"
    return paths


def picture(page: Page, name: str, *, whole: bool = True) -> None:
    """Save what is to be seen, in 256 colours: a third of the bytes, and nobody sees the difference."""
    seen = Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")
    seen.quantize(256, dither=Image.Dither.NONE).save(OUT / f"{name}.png", optimize=True)


def shoot(page: Page, base: str, name: str, look: str, path: str) -> list[str]:
    """Take one picture; give the console's complaints about this page."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(base + path, wait_until="load")
    page.wait_for_timeout(600)
    picture(page, f"{name}-{look}", whole=name != "gallery")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{name} ({look}): {text}" for text in complaints if "404" not in text or name != "missing"] + (
        [f"{name} ({look}): {wide} px wider than the window"] if wide > 0 else []
    )


def road(browser: Browser, base: str, look: str) -> list[str]:
    """A participant's way from consent to the first clip, and a picture of each screen."""
    context = browser.new_context(**LOOKS[look])
    page = context.new_page()
    complaints: list[str] = []
    page.goto(f"{base}/t/try-it/?participant=shots-{look}")
    for step in range(1, 6):
        page.wait_for_timeout(500)
        picture(page, f"road-{step}-{look}")
        button = page.locator("main form button[type=submit]:not([disabled]), main a.button").first
        if not button.count():
            break
        button.click()
    context.close()
    return complaints


def main() -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    port = free_port("127.0.0.1")
    keepers: list[Keeper] = []
    complaints: list[str] = []
    try:
        keepers, _ = start_services(host="127.0.0.1", port=port)
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
                complaints += road(browser, base, look)
            browser.close()
    finally:
        stop_all(keepers)
    print("\n".join(complaints) or f"{len(rows)} pages in {len(LOOKS)} looks, no complaint", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's loop runs in this thread; the rows are read before it
    sys.exit(main())
