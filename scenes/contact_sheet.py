"""Contact sheets: a test in five moments a row, plausible above implausible, or one row for each answer.

The moments of a Level-2 test come from its implausible clip and hold for both rows: when something starts to move, on
the way to the violation, the violation (framed), when a viewer can know of it, and where the rows differ most.
A test in which nothing moves shows five draws instead.
"""

import tempfile
import textwrap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from scenes.drawing import Drawn, draw_until_sound
from scenes.registry import SCENES, SceneKind
from scenes.scene import Profile
from scenes.telltales import telltales

FRAME = (192, 144)  # pixels of one frame on the sheet
DRAWN = (384, 288)  # pixels as drawn, twice as large for smooth edges
COLUMNS, GAP, CAPTION = 5, 4, 30  # pixels between frames; pixels under a frame for the time or the names
HEAD = 20  # pixels above a row for its answer
STILL = 1e-4  # metres
CLOSE = 10  # states that look alike
SEEN = 0.25  # share of a body that shows it
PAPER, INK, QUIET, BROKEN = "#ffffff", "#1b1d21", "#5a5f69", "#d92d20"


def contact_sheet(test: str, *, seed: int = 0, index: int = 0, profile: Profile = "corrected") -> Image.Image:
    """Draw the sheet of a test by its name, in RGB, 980 pixels wide; KeyError for a name that no scene has."""
    kinds = [kind for kind in SCENES.values() if kind.test == test]
    if not kinds:
        raise KeyError(f"no test is called {test!r}")
    rows = [_row(kind, seed, index, profile) for kind in kinds]
    moving = [drawn[0] for drawn in rows if _motion(drawn[0]) is not None]
    high = HEAD + FRAME[1] + CAPTION
    sheet = Image.new("RGB", (COLUMNS * (FRAME[0] + GAP), high * len(rows)), PAPER)
    states = telling_states(moving[0], moving[-1]) if moving else None
    for number, (kind, drawn) in enumerate(zip(kinds, rows, strict=True)):
        _paste_row(sheet, number * high, kind, drawn, states)
    return sheet


def telling_states(plausible: Drawn, drawn: Drawn) -> list[int]:
    """Five states in order; of a clip without a violation evenly over its motion."""
    first, last = _motion(drawn) or (0, len(drawn.trajectory) - 1)
    end = min(last + 10, len(drawn.trajectory) - 1)
    violation, known = drawn.verdict.violation_frame, drawn.first_knowable
    if violation is None or known is None:
        return [round(state) for state in np.linspace(first, end, COLUMNS)]
    seen = _seen(drawn, violation)
    if not drawn.is_out_of_sight:
        return _in_sight(min(violation, int(np.argmax(seen))), violation, int(np.flatnonzero(seen)[-1]))
    start = min(first, violation)
    apart = _most_apart(plausible, drawn, seen, known)
    known = known if known > violation else (violation + apart) // 2
    return sorted([start, (start + violation) // 2, violation, known, apart])


def _in_sight(start: int, violation: int, last: int) -> list[int]:
    """What breaks physics in plain sight is followed from there on as long as it is seen."""
    before = [start] if violation - start > CLOSE else []
    after = np.linspace(violation, max(last, violation + COLUMNS), COLUMNS - len(before))
    return before + [round(state) for state in after]


def _seen(drawn: Drawn, violation: int) -> NDArray[np.bool_]:
    """In which states what gives the violation away is seen, or is missing."""
    columns = list(telltales(drawn.trajectory, violation))
    shares = drawn.trajectory.seen
    if shares is None:
        return np.ones(len(drawn.trajectory), dtype=np.bool_)
    missing = ~drawn.trajectory.visible[:, columns].any(axis=1)
    return np.asarray((shares[:, columns] > SEEN).any(axis=1) | missing)


def _most_apart(plausible: Drawn, drawn: Drawn, seen: NDArray[np.bool_], known: int) -> int:
    """The state, from when it can be known, in which both clips differ most: of states alike the middle one."""
    ours, theirs = drawn.trajectory, plausible.trajectory
    apart = np.abs(ours.position - theirs.position).max(axis=(1, 2))
    apart = apart + np.abs(ours.orientation - theirs.orientation).max(axis=(1, 2))
    apart = apart + (ours.visible != theirs.visible).any(axis=1)
    apart[~seen] = -1
    apart[:known] = -1
    alike = np.flatnonzero(apart >= apart.max() - 0.01)
    end = (_motion(drawn) or (0, len(ours) - 1))[1] + 10
    alike = alike[alike <= max(alike[0], end)]
    return int(alike[len(alike) // 2])


def _row(kind: SceneKind, seed: int, index: int, profile: Profile) -> list[Drawn]:
    """Five draws, of which a test with motion shows the first alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.npz"
        drawn = [draw_until_sound(kind, seed, index, profile, path)]
        if _motion(drawn[0]) is None:
            drawn += [draw_until_sound(kind, seed, index + more, profile, path) for more in range(1, COLUMNS)]
    return drawn


def _motion(drawn: Drawn) -> tuple[int, int] | None:
    """First and last state in which something moves or changes; None for a still scene."""
    trajectory = drawn.trajectory
    moved = np.abs(np.diff(trajectory.position, axis=0)).max(axis=(1, 2)) > STILL
    moved |= np.abs(np.diff(trajectory.orientation, axis=0)).max(axis=(1, 2)) > STILL
    moved |= np.diff(trajectory.visible, axis=0).any(axis=1)
    states = np.flatnonzero(moved)
    return (int(states[0]), int(states[-1]) + 1) if len(states) else None


def _paste_row(sheet: Image.Image, top: int, kind: SceneKind, drawn: list[Drawn], states: list[int] | None) -> None:
    from scenes.rendering.mujoco_renderer import Stage

    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    pen.text((2, top + 2), kind.label or "objects in a row", INK, font)
    for column in range(COLUMNS):
        clip = drawn[0] if states else drawn[column % len(drawn)]
        state = states[column] if states else 0
        pixels = Stage(clip.trajectory, DRAWN).draw(state)
        left = column * (FRAME[0] + GAP)
        sheet.paste(Image.fromarray(pixels).resize(FRAME, Image.Resampling.LANCZOS), (left, top + HEAD))
        if states and clip.verdict.violation_frame == state:
            box = (left, top + HEAD, left + FRAME[0] - 1, top + HEAD + FRAME[1] - 1)
            pen.rectangle(box, outline=BROKEN, width=4)
        says = f"{clip.trajectory.time[state]:.2f} s" if states else clip.scene.label
        words = "\n".join(textwrap.wrap(says.replace(",", ", "), 34))
        pen.text((left + 2, top + HEAD + FRAME[1] + 1), words, QUIET, ImageFont.load_default(11))
