"""Simulated viewers with eyes of a documented acuity: which of GRASP's Level-2 tests are limited by sight?

`python -m bench.generation.viewers [PAIRS]` prints a JSON line for each test and staging;
`python -m bench.generation.viewers [PAIRS] --write` also writes docs/benchmarks/grasp-viewers.md.
"""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from bench.generation.legibility import PAGE as LEGIBILITY
from bench.generation.legibility import PAIRS, SEED, VARIANTS, rows
from measures.contrast_sensitivity import chance_to_notice

PAGE = LEGIBILITY.with_name("grasp-viewers.md")
VIEWERS = 100  # for each pair of clips and each screen
LOOK = 0.3  # seconds that the eyes stay at a place
WIDE, HIGH = 320, 240  # pixels of the legibility figures
ENOUGH = 0.95  # share of viewers who notice: below it a test is limited by sight


@dataclass(frozen=True)
class Screen:
    """Degrees across one of 320 pixels, and how many times a laboratory's threshold somebody needs."""

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

Written by `python -m bench.generation.viewers --write`: {pairs} pairs a test (seed {seed}), {viewers} viewers a pair
and screen.

* **The telltale** is that of the [legibility figures](grasp-legibility.md): seconds, pixels and contrast of what twins
  show differently. One clip shows one side of the difference, so that half of its pixels count, as one round patch.
* **The eye:** Barten's contrast sensitivity (1999) at 100 cd/m², with his typical observer's constants: optics, photon
  noise, integration over 0.1 s and over the patch. Beside the point looked at, thresholds grow by their own size every
  2.5 degrees (Virsu & Rovamo 1979). `measures/contrast_sensitivity.py`.
* **Looking:** the eyes rest for 0.3 s at a place, drawn evenly over the picture, as is the telltale's; every look that
  the telltale lasts is a new chance, with Weibull's function (exponent 3.5).
* **Screens:** 640 pixels at 96 an inch from 60 cm (16 degrees); a phone's 6 cm from 35 cm (10 degrees). A *laboratory
  eye* notices at the threshold. *At ease* takes ten times its contrast: an assumption, for people who do not know what
  to wait for; lighting engineers put such a factor between a threshold and a task.
* **Right:** share of right answers, half of what is missed being guessed. **Bold**: fewer than 95 of 100 viewers notice
  in one of the columns: limited by sight.

What the model leaves out: motion, which catches the eye; crowding by things close by; colour, whose sensitivity is not
that of light and dark; and that people follow what moves instead of looking anywhere.
"""
HEAD = f"| no. | test | {' | '.join(screen.title for screen in SCREENS)} |\n|---|---|{'---|' * len(SCREENS)}"


def noticed(told: Mapping[str, float], screen: Screen, rng: Generator) -> float:
    """Share of the viewers who notice this telltale."""
    if told["pixels"] < 1 or told["seconds"] <= 0:
        return 0.0
    width = 2 * math.sqrt(told["pixels"] / 2 / math.pi) * screen.pixel
    looks = max(1, int(told["seconds"] / LOOK))
    seconds = min(LOOK, told["seconds"])
    seen = 0
    for _ in range(VIEWERS):
        place = rng.uniform((0, 0), (WIDE, HIGH))
        for _ in range(looks):
            beside = float(np.hypot(*(rng.uniform((0, 0), (WIDE, HIGH)) - place))) * screen.pixel
            chance = chance_to_notice(told["contrast"] / screen.factor, width, seconds=seconds, beside=beside)
            if rng.random() < chance:
                seen += 1
                break
    return seen / VIEWERS


def studied(profile: str, pairs: int) -> Iterator[tuple[int, str, list[float]]]:
    """Number and name of each test, and the share who notice on each screen."""
    for row in rows(profile, pairs):
        rng = np.random.default_rng([SEED, row.number])
        yield row.number, row.test, [float(np.mean([noticed(one, s, rng) for one in row.told])) for s in SCREENS]


def line_of(number: int, test: str, shares: list[float]) -> str:
    name = f"**`{test}`**" if min(shares) < ENOUGH else f"`{test}`"
    cells = [f"{100 * share:.0f} % notice, {50 + 50 * share:.0f} % right" for share in shares]
    return f"| {number} | {name} | {' | '.join(cells)} |"


def main(pairs: int, *, is_written: bool) -> None:
    parts = [ABOUT.format(pairs=pairs, seed=SEED, viewers=VIEWERS)]
    for profile, title, _ in VARIANTS:
        lines, limited = [], []
        for number, test, shares in studied(profile, pairs):
            print(json.dumps({"bench": "viewers", "profile": profile, "test": test, "noticed": shares}), flush=True)
            lines.append(line_of(number, test, shares))
            limited += [f"`{test}`"] if min(shares) < ENOUGH else []
        said = f"Limited by sight: {', '.join(limited) or 'none'} ({len(limited)} of {len(lines)})."
        parts.append("\n".join((f"## {title}", "", HEAD, *lines, "", said, "")))
    if is_written:
        PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else PAIRS, is_written="--write" in sys.argv)
