"""Contact sheets: five moments of a test in each row, plausible above implausible, or one row for each answer.

The moments of a Level-2 test are chosen from its implausible clip and used for both rows: the start of the motion,
half-way to the violation, the violation (framed), when a viewer can know of it, and where the rows differ most. All
pictures of a sheet are cropped to the same area of interest. A test in which nothing moves shows five draws instead.
The narrow sheet, for telephones, has two columns, one for each answer.
"""

import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from scenes.audit.auditing import main_columns, telltales
from scenes.audit.geometry import corners_of, in_picture
from scenes.drawing import AcceptedDraw, draw_until_sound
from scenes.registry import SCENES, SceneKind
from scenes.scene import Look
from scenes.trajectory import Trajectory

PICTURE_SIZE = (768, 576)  # pixels of a picture before it is cropped
COLUMNS = 5  # moments
STILL = 1e-4  # metres
CLOSE = 10  # states closer than this look alike
SEEN, WHOLE = 0.25, 0.8  # visible shares of a body: enough to recognise it; nearly all of it
SMALL, RING = 0.06, 2.2  # shares of the picture's width: smaller bodies get a ring; the ring's width over the body's
MARGIN, CLOSEST = 0.14, 0.45  # shares of the picture: margin around the area of interest; smallest crop
PAPER, INK, QUIET, BROKEN = "#ffffff", "#1b1d21", "#5a5f69", "#d92d20"


@dataclass(frozen=True)
class SheetLayout:
    """Pixels of a sheet's parts."""

    frame: tuple[int, int]
    gap: int
    head: int  # above a row or a column, for its answer
    caption: int  # under a frame, for the time or the names
    letters: tuple[int, int]  # of answers, of captions
    wrapped: int  # letters in a caption's line
    line: int  # width of the frame around the violation


WIDE = SheetLayout((192, 144), gap=4, head=20, caption=30, letters=(13, 11), wrapped=34, line=4)
NARROW = SheetLayout((240, 180), gap=4, head=26, caption=44, letters=(19, 16), wrapped=28, line=6)
PAIR = 2  # columns of a narrow sheet


Ring = tuple[float, float, float]  # centre (right, down) and radius, as shares of the picture's width and height


@dataclass(frozen=True)
class SheetCell:
    """One picture of a sheet, in the size in which it was rendered."""

    pixels: NDArray[np.uint8]
    caption: str
    is_violation: bool
    small: tuple[Ring, ...]


SEED = 0
# The clearest of the first draws; other tests use number 0.
CLEAREST = {
    "Unchangeableness": 2,
    "Unchangeableness2": 1,
    "SolidityContinuity": 2,
    "Inertia": 7,
    "Continuity": 6,
    "GravityContinuity": 1,
    "Inertia2": 4,
}


@dataclass(frozen=True)
class SheetPair:
    """A test's wide sheet, 980 pixels across, and its narrow one."""

    wide: Image.Image
    narrow: Image.Image


def contact_sheets(test: str, *, look: Look = "plain") -> SheetPair:
    """Draw both sheets of a test in RGB; KeyError if no scene has a test of this name."""
    kinds = [kind for kind in SCENES.values() if kind.test == test]
    if not kinds:
        raise KeyError(f"no test is called {test!r}")
    rows = [_row(kind, CLEAREST.get(test, 0)) for kind in kinds]
    moving = [draw[0] for draw in rows if _motion(draw[0]) is not None]
    states = telling_states(moving[0], moving[-1]) if moving else None
    cut = _cut(moving, states) if states else (0, 0, *PICTURE_SIZE)
    heads = [kind.label or "objects in a row" for kind in kinds]
    cells = [_cells(draw, states, cut, look) for draw in rows]
    return SheetPair(_wide(heads, cells), _narrow(heads, cells))


def telling_states(plausible: AcceptedDraw, draw: AcceptedDraw) -> list[int]:
    """Five states in order; for a clip without a violation they are spread evenly over its motion."""
    first, last = _motion(draw) or (0, len(draw.trajectory) - 1)
    end = min(last + 10, len(draw.trajectory) - 1)
    violation, known = draw.verdict.violation_frame, draw.first_knowable
    if violation is None or known is None:
        return [round(state) for state in np.linspace(first, end, COLUMNS)]
    seen = _seen(draw, violation)
    if not draw.is_out_of_sight:
        start = max(first, int(np.argmax(_visible_states(draw, violation, SEEN))))
        return _in_sight(min(violation, start), violation, _last_of_interest(plausible, draw))
    start = min(first, violation)
    apart = _most_apart(plausible, draw, seen, known)
    known = known if known > violation else (violation + apart) // 2
    return sorted([start, (start + violation) // 2, violation, known, apart])


def _in_sight(start: int, violation: int, last: int) -> list[int]:
    """States for a violation in plain sight: perhaps one before it, the others spread from it to `last`."""
    before = [start] if violation - start > CLOSE else []
    after = np.linspace(violation, max(last, violation + COLUMNS), COLUMNS - len(before))
    return before + [round(state) for state in after]


def _last_of_interest(plausible: AcceptedDraw, draw: AcceptedDraw) -> int:
    """The last state worth showing in both rows: shortly after the motion ends, with the body still in view."""
    violation, last = draw.verdict.violation_frame or 0, len(draw.trajectory) - 1
    rests = [(_motion(clip) or (0, last))[1] + CLOSE for clip in (plausible, draw)]
    visible = [np.flatnonzero(_visible_states(clip, violation, WHOLE)) for clip in (plausible, draw)]
    gone = [int(states[-1]) for states in visible if len(states) and states[-1] > violation]
    return min(max(rests), last, *gone)


def _visible_states(draw: AcceptedDraw, violation: int, share: float) -> NDArray[np.bool_]:
    """Mask of the states in which more than this share of a telltale body is visible."""
    shares = draw.trajectory.seen
    if shares is None:
        return np.ones(len(draw.trajectory), dtype=np.bool_)
    columns = list(telltales(draw.trajectory, violation))
    return np.asarray((shares[:, columns] > share).any(axis=1))


def _seen(draw: AcceptedDraw, violation: int) -> NDArray[np.bool_]:
    """Mask of the states in which a telltale body is visible or missing from the scene."""
    columns = list(telltales(draw.trajectory, violation))
    return _visible_states(draw, violation, SEEN) | ~draw.trajectory.visible[:, columns].any(axis=1)


def _most_apart(plausible: AcceptedDraw, draw: AcceptedDraw, seen: NDArray[np.bool_], known: int) -> int:
    """The state, from `known` on, in which the clips differ most; among equal ones the middle one."""
    ours, theirs = draw.trajectory, plausible.trajectory
    apart = np.abs(ours.position - theirs.position).max(axis=(1, 2))
    apart = apart + np.abs(ours.orientation - theirs.orientation).max(axis=(1, 2))
    apart = apart + (ours.visible != theirs.visible).any(axis=1)
    apart[~seen] = -1
    apart[:known] = -1
    alike = np.flatnonzero(apart >= apart.max() - 0.01)
    end = (_motion(draw) or (0, len(ours) - 1))[1] + 10
    alike = alike[alike <= max(alike[0], end)]
    return int(alike[len(alike) // 2])


def _row(kind: SceneKind, index: int) -> list[AcceptedDraw]:
    """Five draws, or only the first one if the test has motion."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.npz"
        draws = [draw_until_sound(kind, SEED, index, "corrected", path)]
        if _motion(draws[0]) is None:
            draws += [draw_until_sound(kind, SEED, index + more, "corrected", path) for more in range(1, COLUMNS)]
    return draws


def _motion(draw: AcceptedDraw) -> tuple[int, int] | None:
    """First and last state in which something moves or changes; None for a still scene."""
    trajectory = draw.trajectory
    moved = np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > STILL
    moved |= np.abs(np.diff(trajectory.orientation, axis=0)).max(axis=(1, 2)) > STILL
    moved |= np.diff(trajectory.visible, axis=0).any(axis=1)
    states = np.flatnonzero(moved)
    return (int(states[0]), int(states[-1]) + 1) if len(states) else None


Cut = tuple[int, int, int, int]  # left, top, right, bottom in pixels of PICTURE_SIZE


def _cut(clips: list[AcceptedDraw], states: list[int]) -> Cut:
    """The crop around all bodies of interest in these states, with the picture's aspect ratio."""
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for clip in clips:
        trajectory = clip.trajectory
        for column in main_columns(trajectory):
            for state in states:
                places = _places(trajectory, column, state)
                low, high = np.minimum(low, places.min(axis=0)), np.maximum(high, places.max(axis=0))
    low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
    share = float(np.clip((high - low).max() + 2 * MARGIN, CLOSEST, 1))
    corner = np.clip((low + high - share) / 2, 0, 1 - share)
    left, top = (corner * PICTURE_SIZE).round().astype(int)
    return (int(left), int(top), int(left + share * PICTURE_SIZE[0]), int(top + share * PICTURE_SIZE[1]))


def _places(trajectory: Trajectory, column: int, state: int) -> NDArray[np.float64]:
    """A body's corners in the picture, right and down from 0 to 1."""
    seen = in_picture(trajectory.description.camera, corners_of(trajectory, column, state))
    return np.stack([seen[:, 0] * PICTURE_SIZE[1] / PICTURE_SIZE[0], -seen[:, 1]], axis=1) / 2 + 0.5


def _cells(draws: list[AcceptedDraw], states: list[int] | None, cut: Cut, look: Look) -> list[SheetCell]:
    """The pictures of one answer."""
    from scenes.rendering.looks import stage_of

    left, top, right, bottom = cut
    whole = stage_of(draws[0].trajectory, PICTURE_SIZE, look) if states else None
    cells = []
    for column in range(COLUMNS):
        clip = draws[0] if states else draws[column % len(draws)]
        state = states[column] if states else 0
        says = f"{clip.trajectory.time[state]:.2f} s" if states else clip.scene.label.replace(",", ", ")
        stage = whole or stage_of(clip.trajectory, PICTURE_SIZE, look)
        pixels = stage.draw(state)[top:bottom, left:right].copy()
        rings = _rings(clip.trajectory, state, cut) if states else ()
        cells.append(SheetCell(pixels, says, bool(states) and clip.verdict.violation_frame == state, rings))
    return cells


def _rings(trajectory: Trajectory, state: int, cut: Cut) -> tuple[Ring, ...]:
    """Rings around the bodies of interest that are visible but small on the sheet."""
    corner, size = np.array(cut[:2]), np.subtract(cut[2:], cut[:2])
    rings = []
    for column in main_columns(trajectory):
        if trajectory.seen is None or trajectory.seen[state, column] < SEEN or not trajectory.visible[state, column]:
            continue
        places = (_places(trajectory, column, state) * PICTURE_SIZE - corner) / size
        width = float(np.ptp(places[:, 0]))
        if width < SMALL:
            middle = (places.min(axis=0) + places.max(axis=0)) / 2
            rings.append((float(middle[0]), float(middle[1]), RING * width / 2))
    return tuple(rings)


def _wide(heads: list[str], cells: list[list[SheetCell]]) -> Image.Image:
    """One row for each answer, 980 pixels wide."""
    width, high = WIDE.frame[0] + WIDE.gap, WIDE.head + WIDE.frame[1] + WIDE.caption
    sheet = Image.new("RGB", (COLUMNS * width, high * len(heads)), PAPER)
    for number, (head, row) in enumerate(zip(heads, cells, strict=True)):
        _write_head(sheet, WIDE, (0, number * high), head)
        for column, cell in enumerate(row):
            _paste(sheet, WIDE, (column * width, number * high + WIDE.head), cell)
    return sheet


def _narrow(heads: list[str], cells: list[list[SheetCell]]) -> Image.Image:
    """One column for each answer, two side by side; a single answer's pictures fill both columns."""
    width, high = NARROW.frame[0] + NARROW.gap, NARROW.frame[1] + NARROW.caption
    if len(heads) == 1:
        blocks = [([*heads, ""], [cells[0][::PAIR], cells[0][1::PAIR]])]
    else:
        blocks = [(heads[start : start + PAIR], cells[start : start + PAIR]) for start in range(0, len(heads), PAIR)]
    tall = [NARROW.head + high * len(columns[0]) for _, columns in blocks]
    sheet = Image.new("RGB", (PAIR * width - NARROW.gap, sum(tall)), PAPER)
    for number, (words, columns) in enumerate(blocks):
        for side, (head, column) in enumerate(zip(words, columns, strict=True)):
            left, top = side * width, sum(tall[:number])
            _write_head(sheet, NARROW, (left, top), head)
            for place, cell in enumerate(column):
                _paste(sheet, NARROW, (left, top + NARROW.head + place * high), cell)
    return sheet


def _write_head(sheet: Image.Image, layout: SheetLayout, place: tuple[int, int], head: str) -> None:
    font = ImageFont.load_default(layout.letters[0])
    ImageDraw.Draw(sheet).text((place[0] + 2, place[1] + 2), head, INK, font)


def _paste(sheet: Image.Image, layout: SheetLayout, place: tuple[int, int], cell: SheetCell) -> None:
    (left, top), (width, height), pen = place, layout.frame, ImageDraw.Draw(sheet)
    sheet.paste(Image.fromarray(cell.pixels).resize(layout.frame, Image.Resampling.LANCZOS), place)
    for right, down, share in cell.small:
        middle, radius = (left + right * width, top + down * height), max(share * width, layout.line + 2)
        for thick, colour in ((3, INK), (1, PAPER)):
            pen.circle(middle, radius + thick // 2, outline=colour, width=thick)
    if cell.is_violation:
        pen.rectangle((left, top, left + width - 1, top + height - 1), outline=BROKEN, width=layout.line)
    words = "\n".join(textwrap.wrap(cell.caption, layout.wrapped))
    pen.text((left + 2, top + height + 1), words, QUIET, ImageFont.load_default(layout.letters[1]))
