"""Simulated viewers with documented visual acuity: finds the Level-2 tests of GRASP that are limited by sight.

`python -m bench.generation.viewers` reads the measured figures of docs/benchmarks/grasp-legibility.md and writes
docs/benchmarks/grasp-viewers.md.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bench.generation.legibility import PAGE as LEGIBILITY
from measures.contrast_sensitivity import HALVED_AT, chance_at, threshold

PAGE = LEGIBILITY.with_name("grasp-viewers.md")
VIEWERS = 400  # for each pair of clips and each screen
SEED = 31
LOOK = 0.3  # seconds of a fixation
WIDE, HIGH = 320, 240  # pixels of the legibility figures
ENOUGH = 0.95  # share of viewers who notice: below it a test is limited by sight


@dataclass(frozen=True)
class Screen:
    """Degrees across one of 320 pixels, and the viewer's threshold as a multiple of the laboratory's."""

    title: str
    pixel: float
    factor: float


# 640 CSS pixels of 1/96 inch at 60 cm; 360 CSS pixels of a phone, 6 cm, at 35 cm.
DESK, PHONE = math.degrees(0.1693 / 0.60) / WIDE, math.degrees(0.06 / 0.35) / WIDE
SCREENS = (
    Screen("desk, laboratory eye", DESK, 1.0),
    Screen("desk, at ease", DESK, 10.0),
    Screen("phone, at ease", PHONE, 10.0),
)
ABOUT = """# GRASP: a blind study with simulated viewers

Is a [Level-2](grasp.md) test limited by what people know of physics, or by what they can see? Simulated viewers know
all of physics and see as well as people do: they are right where they notice the telltale and guess where they do
not.
They are drawn from a model, not from people: the table says which tests eyes of a documented acuity would fail.

Written by `python -m bench.generation.viewers` from the [legibility figures](grasp-legibility.md): {viewers} viewers of
each test and screen for its middle pair, and as many for a pair that has the worst figure of every column.

* **The telltale** is that of the [legibility figures](grasp-legibility.md): seconds, pixels and contrast of what twins
  show differently. One clip shows one side of the difference, so that half of its pixels count, as one round patch.
* **The eye:** Barten's contrast sensitivity (1999) at 100 cd/m², with his typical observer's constants: optics, photon
  noise, integration over 0.1 s and over the patch. Beside the point looked at, thresholds grow by their own size every
  2.5 degrees (Virsu & Rovamo 1979). `measures/contrast_sensitivity.py`.
* **Looking:** the eyes rest for 0.3 s at a place, drawn evenly over the picture, as is the telltale's; every look that
  the telltale lasts is a new chance, with Weibull's function (exponent 3.5).
* **Screens:** 640 pixels at 96 an inch from 60 cm (16 degrees); a phone's 6 cm from 35 cm (10 degrees). A *laboratory
  eye* notices at the threshold. *At ease* takes ten times its contrast: an assumption, for people who do not know what
  to wait for.
* **The figures:** per cent of viewers who notice, middle pair / worst pair; the others guess, so that where 80 notice,
  90 are right. **Bold**: fewer than 95 notice in some column: limited by sight. The official twins of test 5 differ
  from the first picture on and not after the violation, which is all that counts here.

What the model leaves out: motion, which catches the eye; crowding by things close by; colour, whose sensitivity is not
that of light and dark; and that people follow what moves instead of looking anywhere.
"""
HEAD = f"| no. | test | {' | '.join(screen.title for screen in SCREENS)} |\n|---|---|{'---|' * len(SCREENS)}"


def noticed(figures: Mapping[str, float], screen: Screen, rng: Generator) -> float:
    """Share of the viewers who notice a telltale of these seconds, pixels and contrast."""
    if figures["pixels"] < 1 or figures["seconds"] <= 0:
        return 0.0
    width = 2 * math.sqrt(figures["pixels"] / 2 / math.pi) * screen.pixel
    looks = max(1, int(figures["seconds"] / LOOK))
    needed = screen.factor * threshold(width, seconds=min(LOOK, figures["seconds"]))
    places = rng.uniform((0, 0), (WIDE, HIGH), (VIEWERS, 1, 2))
    looked_at = rng.uniform((0, 0), (WIDE, HIGH), (VIEWERS, looks, 2))
    beside = np.linalg.norm(looked_at - places, axis=2) * screen.pixel
    chances = chance_at(figures["contrast"] / (needed * (1 + beside / HALVED_AT)))
    return float((rng.random((VIEWERS, looks)) < chances).any(axis=1).mean())


ROW = re.compile(r"\| (\d+) \| \**`(\w+)`\** \| ([\d.]+) \(([\d.]+)\) \| (\d+) \((\d+)\) \| ([\d.]+) \(([\d.]+)\) \|")
FIGURES = ("seconds", "pixels", "contrast")


def measured(page: str) -> Iterator[tuple[str, list[tuple[int, str, tuple[Mapping[str, float], ...]]]]]:
    """Title of each table of the legibility page, and number, name and figures (middle, worst) of its tests."""
    for part in page.split("\n## ")[1:]:
        rows = [(int(number), test, _figures(values)) for number, test, *values in ROW.findall(part)]
        if rows:
            yield part.partition("\n")[0], rows


def _figures(values: list[str]) -> tuple[Mapping[str, float], ...]:
    """Figures of the middle pair and of the worst pair, which alternate."""
    return tuple(dict(zip(FIGURES, map(float, values[start::2]), strict=True)) for start in (0, 1))


def line_of(number: int, test: str, shares: list[tuple[float, float]]) -> str:
    name = f"**`{test}`**" if is_limited(shares) else f"`{test}`"
    cells = [f"{100 * middle:.0f} / {100 * worst:.0f}" for middle, worst in shares]
    return f"| {number} | {name} | {' | '.join(cells)} |"


def is_limited(shares: list[tuple[float, float]]) -> bool:
    return min(min(pair) for pair in shares) < ENOUGH


def written(page: str) -> str:
    """The page's text, from that of the legibility page."""
    parts = [ABOUT.format(viewers=VIEWERS)]
    for title, rows in measured(page):
        lines, limited = [], []
        for number, test, (middle, worst) in rows:
            rng = np.random.default_rng([SEED, number])
            shares = [(noticed(middle, screen, rng), noticed(worst, screen, rng)) for screen in SCREENS]
            lines.append(line_of(number, test, shares))
            limited += [f"`{test}`"] if is_limited(shares) else []
        verdict = f"Limited by sight: {', '.join(limited) or 'none'} ({len(limited)} of {len(lines)})."
        parts.append("\n".join((f"## {title}", "", HEAD, *lines, "", verdict, "")))
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(written(LEGIBILITY.read_text(encoding="utf-8")), encoding="utf-8")
