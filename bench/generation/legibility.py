"""Measures the legibility of all Level-2 tests and of Level 1's objects, without rendering videos.

`python -m bench.generation.legibility [PAIRS]` prints a JSON line for each test and staging;
`python -m bench.generation.legibility [PAIRS] --write` also writes docs/benchmarks/grasp-legibility.md.
"""

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scenes.drawing import AcceptedDraw, draw_until_sound
from scenes.registry import SCENES, TESTS
from scenes.scene import Profile

SEED, PAIRS = 31, 6
PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "grasp-legibility.md"
VARIANTS: tuple[tuple[Profile, str, str], ...] = (
    ("restaged", "Profile `corrected`, as made now", ""),
    ("corrected", "Profile `corrected` before, `--staging 1`", ""),
    (
        "faithful",
        "Profile `faithful`: the official staging",
        "Official twins also differ in delays, screens and cameras, which counts here as well; those of test 5 differ"
        " from the first picture on and not after the violation.\n\n",
    ),
)
ABOUT = """# GRASP: legibility of the clips

Two clips of a [Level-2](grasp.md) test that share seed and number are twins: one shows what happens on earth, the
other what cannot. An answerer can tell them apart only by what differs in their pictures, the *telltale*. This page
says how long it lasts, how large it is and how clear, so that a test of physics is not a test of eyesight.

Written by `python -m bench.generation.legibility --write`. {count} pairs a test, seed {seed}.

* **Seconds:** how long the twins differ in at least 40 pixels, from the moment on in which physics is broken. Every
  fifth state (0.1 s) is compared, linear in between.
* **Pixels:** of 76,800 (320 × 240), in the state that differs most: pixels whose body differs in role, material or
  colour, in segmentation renderings of both twins. Shadows and shading do not count.
* **Contrast:** in that state, of these pixels in renderings with lamps and textures: Michelson contrast of the colour
  channel that differs most, in linear light with 1 % of white added for the light on a screen; the mean.
* **Still:** share of the states that look like the state before.
* **At the end:** in how many pairs the last pictures differ.

Median and, in brackets, the smallest of all pairs. **Bold**: some pair lies below 0.6 s without a difference at the
end, below 400 pixels or below a contrast of 0.15.
"""


@dataclass(frozen=True)
class Row:
    """The measurements of one test."""

    number: int
    test: str
    told: Sequence[dict[str, float]]
    still: Sequence[float]

    @property
    def is_weak(self) -> bool:
        return any(
            (one["seconds"] < 0.6 and not one["at_end"]) or one["pixels"] < 400 or one["contrast"] < 0.15
            for one in self.told
        )

    def as_line(self) -> str:
        cells = [_middle([one[name] for one in self.told], digits) for name, digits in COLUMNS]
        ends = sum(bool(one["at_end"]) for one in self.told)
        name = f"**`{self.test}`**" if self.is_weak else f"`{self.test}`"
        still = f"{100 * statistics.median(self.still):.0f} %"
        return f"| {self.number} | {name} | {' | '.join(cells)} | {still} | {ends} of {len(self.told)} |"


COLUMNS = (("seconds", 2), ("pixels", 0), ("contrast", 2))
HEAD = "| no. | test | seconds | pixels | contrast | still | at the end |\n|---|---|---|---|---|---|---|"


def _middle(values: Sequence[float], digits: int) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f})"


def accepted_draw(folder: str, index: int, profile: Profile) -> AcceptedDraw:
    with tempfile.TemporaryDirectory() as place:
        return draw_until_sound(SCENES[folder], SEED, index, profile, Path(place) / "clip.npz")


def rows(profile: Profile, pairs: int) -> Iterator[Row]:
    for test in sorted((one for one in TESTS if one.level == 2), key=lambda one: one.number):
        found = [accepted_draw(folder, index, profile) for folder in test.folders for index in range(pairs)]
        telltales = [one.legibility["telltale"] for one in found[:pairs]]
        yield Row(test.number, test.name, telltales, [one.legibility["still"] for one in found])


def named(profile: Profile, pairs: int) -> Iterator[tuple[str, list[int]]]:
    """Pixels of the smallest named object of each Level-1 test."""
    for test in TESTS:
        if test.level == 1:
            found = [accepted_draw(folder, index, profile) for folder in test.folders for index in range(pairs)]
            yield test.name, [one.legibility["named_pixels"] for one in found]


def main(pairs: int, *, is_written: bool) -> None:
    parts = [ABOUT.format(count=pairs, seed=SEED)]
    for profile, title, note in VARIANTS:
        measured = []
        for row in rows(profile, pairs):
            measured.append(row)
            print(
                json.dumps({"bench": "legibility", "profile": profile, "test": row.test, "told": row.told}), flush=True
            )
        parts.append("\n".join((f"## {title}", "", note + HEAD, *(row.as_line() for row in measured), "")))
    objects = [f"| `{test}` | {_middle(seen, 0)} |" for test, seen in named("restaged", pairs)]
    level_1 = "Pixels of 76,800 of the smallest object that a clip asks about, where it is largest."
    parts.append("\n".join(("## Level 1", "", level_1, "", "| test | pixels |", "|---|---|", *objects, "")))
    if is_written:
        PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers[0] if numbers else PAIRS, is_written="--write" in sys.argv)
