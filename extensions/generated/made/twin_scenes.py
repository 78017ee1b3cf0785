"""The scenes of GRASP's twins as prompts: their texts, their pictures, and what is known of each way to show them."""

import colorsys
import json
import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.definitions.papers.grasp_tests import PHYSICS_BY_NAME
from extensions.generated.made.latent import ClipTruth
from extensions.generated.made.pictures import BEFORE_JUMP, Pictures, differ, pictures_of
from scenes.audit.auditing import EXPECTATIONS
from scenes.rendering.looks import pictures_in
from scenes.scene import STEP
from scenes.trajectory import Trajectory

TESTS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
# By hue, a twelfth of a turn each
COLOURS = ("red", "orange", "yellow", *["green"] * 2, *["turquoise"] * 2, *["blue"] * 2, "purple", *["pink"] * 2)
LARGE = 700  # of 320 x 240 pixels in which the twins differ: from these on, a break is severe
IN_VIEW = 0.25  # share of a body's pixels
LATE = 0.6  # seconds from a late break to the end, or to when the body is last seen
FELL, SPEED = 0.3, 0.3  # metres; metres a second


@dataclass(frozen=True)
class TwinScene:
    """One draw of a test: `root` holds clips and trajectories of both twins in GRASP's layout."""

    root: Path
    test: str
    index: int
    fps: int

    @property
    def key(self) -> str:
        return f"{self.test.lower()}-{self.index}"

    def _path(self, kind: str, twin: str, suffix: str) -> Path:
        return self.root / kind / "level2" / f"{twin}_{self.test}" / f"{self.index:03}{suffix}"

    def pictures(self, twin: str, width: int) -> Pictures:
        """Of the possible (P) or impossible (IP) twin."""
        return pictures_of(self._path("videos", twin, ".mp4"), width)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Of the impossible twin."""
        facts: dict[str, Any] = json.loads(self._path("trajectories", "IP", ".json").read_text())
        return facts

    @cached_property
    def motion(self) -> Trajectory:
        """Of the possible twin."""
        return Trajectory.load(self._path("trajectories", "P", ".npz"))

    @property
    def stride(self) -> int:
        """Recorded states a picture."""
        return round(1 / STEP / self.fps)

    @property
    def length(self) -> int:
        """Pictures of either twin."""
        return -(-int(self.facts["states"]) // self.stride)

    @property
    def text(self) -> str:
        colours = {name: _colour_name(self.motion.colour[0, column]) for name, column in self.motion.names.items()}
        return TESTS[self.test]["prompt"].format_map(colours)

    @property
    def laws(self) -> tuple[str, ...]:
        return PHYSICS_BY_NAME[self.test].concepts

    # --- truths, in seconds of the clip without a lead ---

    @property
    def broken(self) -> ClipTruth:
        """Of the impossible twin."""
        onset, visible_from = (float(self.facts[name]["seconds"]) for name in ("first_violation", "first_knowable"))
        severity = 3 if self.facts["legibility"]["telltale"]["pixels"] >= LARGE else 2
        return ClipTruth(True, TESTS[self.test]["breaks"], onset, visible_from, severity)

    def truth_of_edit(self, edit: str, truth: ClipTruth, pictures: Pictures, lead: int) -> ClipTruth:
        """What is known of a clip of these pictures, which begins `lead` later, after an edit of all of them."""
        if edit == "jump":
            second = (BEFORE_JUMP + lead) / self.fps
            return ClipTruth(True, "vanishes", second, second, 3) if differ(pictures[0], pictures[-1]) else ClipTruth()
        if edit == "shuffled":
            second = (1 + lead) / self.fps
            is_seen = any(differ(pictures[0], picture) for picture in pictures)
            return ClipTruth(True, "moves", second, second, 3) if is_seen else ClipTruth()
        return self._backwards(len(pictures), lead) if edit == "backwards" else _later(truth, lead / self.fps)

    def _backwards(self, length: int, lead: int) -> ClipTruth:
        """Of the possible twin in reverse: what fell rises; other motions look possible either way."""
        motion, rising = self.motion, []
        for column, body in enumerate(motion.description.bodies):
            height = motion.position[:, column, 2]
            if body.motion == "free" and height[0] - height[-1] > FELL:
                rising += np.flatnonzero(-np.diff(height) / STEP > SPEED).tolist()
        if not rising:
            return ClipTruth()
        second = round((length - 1 - lead) / self.fps - float(motion.time[max(rising)]), 3)
        return ClipTruth(True, "falls", second, second, 2)

    def subtle(self, possible: Pictures, width: int) -> tuple[Pictures, ClipTruth]:
        """The possible twin, in which a thing changes its colour a little, shortly before the end or its leaving."""
        column, state = self._late()
        colour = self.motion.colour.copy()
        colour[state:, column] = 0.6 * colour[state:, column] + 0.3 * colour[state:, column][:, [2, 0, 1]]
        changed = self.motion.changed(colour=colour)
        pictures = list(possible)
        first = -(-state // self.stride)
        states, size = range(first * self.stride, len(self.motion), self.stride), (width, pictures[0].shape[0])
        # The difference of two plain renderings is added, since the pictures come from an encoded clip.
        before, after = (
            [frame.pixels for frame in pictures_in("plain", motion, size, states)] for motion in (self.motion, changed)
        )
        for place, (old, new) in enumerate(zip(before, after, strict=True), first):
            pictures[place] = np.clip(pictures[place] + (new.astype(np.int16) - old), 0, 255).astype(np.uint8)
        second = float(self.motion.time[state])
        return pictures, ClipTruth(True, "look", second, second, 1)

    def _late(self) -> tuple[int, int]:
        """The main body that is in view longest, and a state shortly before it is last seen."""
        assert self.motion.seen is not None
        seen = self.motion.seen
        columns = [column for role in EXPECTATIONS[self.test].main for column in self.motion.with_role(role)]
        last = {
            column: int(np.flatnonzero(seen[:, column] >= IN_VIEW)[-1])
            for column in columns
            if seen[:, column].max() >= IN_VIEW
        }
        column = max(last, key=lambda column: last[column])
        hidden = np.flatnonzero(seen[: last[column], column] < IN_VIEW)
        return column, max(last[column] - round(LATE / STEP), int(hidden[-1]) + 1 if hidden.size else 0)


def _later(truth: ClipTruth, seconds: float) -> ClipTruth:
    """The same in a clip that starts so much later."""
    if not truth.is_broken:
        return truth
    onset, visible = (round(second + seconds, 3) for second in (truth.onset or 0.0, truth.visible_from or 0.0))
    return replace(truth, onset=onset, visible_from=visible)


def _colour_name(colour: Any) -> str:
    hue, _, _ = colorsys.rgb_to_hsv(*map(float, colour))
    return COLOURS[round(hue * len(COLOURS)) % len(COLOURS)]
