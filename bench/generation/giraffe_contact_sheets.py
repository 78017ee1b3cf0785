"""Draws a contact sheet of each abstract-pattern scenario into docs/benchmarks/giraffe/: some puzzles a sheet, each an
image sequence with the next image framed and the three near misses small at the end.

`python -m bench.generation.giraffe_contact_sheets [SCENARIO ...]` draws only the named scenarios; `hand` is
the hand-made set, on several sheets. Nothing is measured here.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from scenes.giraffe.drawing import pixels_of
from scenes.giraffe.hand import compositions
from scenes.giraffe.puzzle import Picture, Puzzle
from scenes.giraffe.scenarios import SCENARIOS, puzzle

OUT = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "giraffe"
LARGE, SMALL, GAP, ROWS, HAND_ROWS = 104, 68, 6, 8, 20
FRAME, LINE = "#d92d20", "#c9cdd4"


def row_of(one: Puzzle) -> Image.Image:
    sheet = Image.new("RGB", (6 * (LARGE + GAP) + 3 * (SMALL + GAP) + GAP, LARGE + GAP), "white")
    pen = ImageDraw.Draw(sheet)

    def paste(picture: Picture, x: int, edge: int, colour: str, width: int) -> None:
        image = Image.fromarray(pixels_of(picture, edge)[..., :3])
        y = (LARGE - edge) // 2 + GAP // 2
        sheet.paste(image, (x, y))
        pen.rectangle((x - 1, y - 1, x + edge, y + edge), outline=colour, width=width)

    for place, picture in enumerate(one.images):
        paste(picture, GAP + place * (LARGE + GAP), LARGE, LINE, 1)
    paste(one.following, GAP + 5 * (LARGE + GAP), LARGE, FRAME, 2)
    for place, wrong in enumerate(one.near_misses):
        paste(wrong.picture, 2 * GAP + 6 * (LARGE + GAP) + place * (SMALL + GAP), SMALL, LINE, 1)
    return sheet


def sheet_of(puzzles: Sequence[Puzzle], path: Path) -> None:
    rows = [row_of(one) for one in puzzles]
    sheet = Image.new("RGB", (rows[0].width, sum(row.height for row in rows)), "white")
    for place, row in enumerate(rows):
        sheet.paste(row, (0, place * row.height))
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(path, quality=55, method=6)
    print(f"{path.name} {path.stat().st_size} bytes")


def main(names: list[str]) -> int:
    for name in names or [*SCENARIOS, "hand"]:
        if name in SCENARIOS:
            sheet_of([puzzle(name, 0, place) for place in range(ROWS)], OUT / f"{name}.webp")
            continue
        made = [one.puzzle for one in compositions().values()]
        for first in range(0, len(made), HAND_ROWS):
            sheet_of(made[first : first + HAND_ROWS], OUT / f"hand-{first // HAND_ROWS + 1}.webp")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
