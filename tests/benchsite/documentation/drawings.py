"""`python -m tests.benchsite.documentation.drawings`: draws the architecture's two pictures into docs/drawings/.

Layers come from the import rules in `pyproject.toml`, an answer's path from `STEPS`; a test compares the files.
"""

import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[3]
OUT = ROOT / "docs" / "drawings"
WIDTH, GAP, LINE = 960, 16, 17  # pixels
OF_DJANGO = {"__init__", "admin", "apps", "management", "migrations", "models", "templatetags", "urls", "views"}
STYLE = """
  rect { fill: #f5f5f2; stroke: #8a8f98; } text { font: 13px system-ui, sans-serif; fill: #4b5563; }
  .name { font-weight: 600; font-size: 15px; fill: #111827; } path { stroke: #8a8f98; fill: none; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #1c2026; stroke: #6b7280; } text { fill: #a7adb8; } .name { fill: #f3f4f6; } }
"""
# One answer, from its scene to the board: each step and its file. Models left, people right.
MODELS = [
    ("A run gets its cells and shards", "evaluation/runs/lifecycle.py"),
    ("A worker leases a shard", "evaluation/queue/leases.py"),
    ("Frames are decoded once", "evaluation/inputs/frames.py"),
    ("The prompt is built", "evaluation/prompting/strategies.py"),
    ("Reply, parsed answer and score are saved", "evaluation/workers/recording.py"),
]
PEOPLE = [
    ("Sheets are laid out from a seed", "humantrials/protocols/designs/balanced.py"),
    ("A participant claims a sheet", "humantrials/assignment/claims.py"),
    ("The lease is renewed", "humantrials/assignment/leases.py"),
    ("The answer is saved, once", "humantrials/assignment/answers.py"),
    ("Answers that count are votes", "humantrials/results/judgments.py"),
]
BEFORE = [
    ("A scene is simulated, audited and filmed", "scenes/clip.py"),
    ("The release becomes a pack of items", "benchmarks/packs/import_release.py"),
]
AFTER = [
    ("The row is computed anew", "leaderboard/standings/refresh.py"),
    ("The board shows it", "leaderboard/board/rows.py"),
]


def box(left: float, top: float, width: float, name: str, lines: list[str]) -> tuple[str, float]:
    """A box with a name and lines below it, and its height."""
    height = LINE * (len(lines) + 1) + 18
    texts = [f'<text class="name" x="{left + 12:g}" y="{top + 24:g}">{escape(name)}</text>']
    places = enumerate(lines, start=1)
    texts += [f'<text x="{left + 12:g}" y="{top + 24 + LINE * n:g}">{escape(line)}</text>' for n, line in places]
    frame = f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="6"/>'
    return "\n".join([frame, *texts]), height


def picture(title: str, parts: list[str], height: float) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *parts, "</svg>\n"])


def contracts() -> Iterator[dict]:
    yield from tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def packages(app: str) -> list[str]:
    """The packages of an app, the upper layers first; the modules of an app without layers."""
    layers: list[str] = next((each["layers"] for each in contracts() if each.get("containers") == [app]), [])
    return [name for layer in layers for name in layer.split(" | ")] or modules(app)


def modules(app: str) -> list[str]:
    found = {path.relative_to(ROOT / app).parts[0].removesuffix(".py") for path in (ROOT / app).rglob("*.py")}
    return sorted(found - OF_DJANGO)


def floors() -> str:
    """Apps by layer; each imports only from layers below its own."""
    rows = next(each["layers"] for each in contracts() if "containers" not in each and each["type"] == "layers")
    parts, top = [], 1.0
    for row in rows:
        apps = row.split(" | ")
        width = (WIDTH - 2 - GAP * (len(apps) - 1)) / len(apps)
        texts = [textwrap.wrap(", ".join(packages(app)), int(width / 7)) for app in apps]
        most = max(map(len, texts))
        for place, (app, lines) in enumerate(zip(apps, texts, strict=True)):
            drawn, height = box(1 + place * (width + GAP), top, width, app, lines + [""] * (most - len(lines)))
            parts.append(drawn)
        top += height + GAP
    return picture("The floors: each app imports only from those below it", parts, top)


def column(left: float, top: float, steps: list[tuple[str, str]], width: float = 460) -> tuple[list[str], float]:
    """Steps below each other with arrows, and the y where they end."""
    parts: list[str] = []
    for number, (what, where) in enumerate(steps):
        if number:
            parts.append(arrow(left + width / 2, top - GAP, top))
        drawn, height = box(left, top, width, what, [where])
        parts.append(drawn)
        top += height + GAP
    return parts, top


def arrow(x: float, top: float, bottom: float) -> str:
    return f'<path d="M{x:g} {top:g}V{bottom:g}m-4 -6l4 6l4 -6"/>'


def answer() -> str:
    """The path of one answer of a model or a person."""
    centre, side = (WIDTH - 460) / 2, WIDTH - 461
    parts, top = column(centre, 1, BEFORE)
    parts += [arrow(x, top - GAP, top) for x in (300, WIDTH - 300)]
    left, bottom = column(1, top, MODELS)
    right, _ = column(side, top, PEOPLE)
    parts += [*left, *right, *(arrow(x, bottom - GAP, bottom) for x in (300, WIDTH - 300))]
    last, end = column(centre, bottom, AFTER)
    return picture("One answer, from its scene to the board", [*parts, *last], end)


DRAWINGS = {"floors.svg": floors, "answer.svg": answer}

if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for name, draw in DRAWINGS.items():
        (OUT / name).write_text(draw())
