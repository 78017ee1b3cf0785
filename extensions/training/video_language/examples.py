"""Turns a folder of clips in a benchmark's layout into training examples: pictures, questions and correct replies."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.definitions.definition import ItemRow, Release
from benchmarks.encoding.even_frames import evenly_spaced
from benchmarks.encoding.frames import ClipFrame, frames

SIDES = {"left", "right"}
# Largest brightness difference, caused by the codec, between two pictures of a clip in which nothing moves.
STILL = 24


@dataclass(frozen=True)
class Exchange:
    """A question and its correct reply."""

    question: str
    reply: str


@dataclass(frozen=True, eq=False)
class Lesson:
    """One clip; lessons with the same test and number differ only in the answer."""

    test: str
    number: str
    pictures: torch.Tensor  # uint8 [n, 3, height, width]; a single picture if nothing moves
    look: Exchange  # "What shape is the object on the table?"
    statements: tuple[Exchange, ...]  # one true, one false

    @property
    def can_be_mirrored(self) -> bool:
        """Whether every reply stays correct when the clip is mirrored."""
        text = " ".join(f"{part.question} {part.reply}" for part in (self.look, *self.statements))
        return not SIDES & set(text.lower().replace(".", " ").split())


See = Callable[[Path], torch.Tensor]


def training_examples(release: Release, tests: Iterable[str], see: See) -> list[Lesson]:
    """The lessons of these tests, with the labels that the importer read."""
    paths = {clip.key: clip.path for clip in release.clips}
    rows = defaultdict(list)
    for row in release.rows:
        if row.clip and set(row.facets.get("test", ())) & set(tests):
            rows[row.clip].append(row)
    # Sequential: with two threads a training once crashed in `free`, in a third-party library.
    return [lesson_of(key, about, see(paths[key])) for key, about in rows.items()]


def lesson_of(key: str, rows: Sequence[ItemRow], pictures: torch.Tensor) -> Lesson:
    binary = [row for row in rows if row.kind == "binary"]
    true = next(row for row in binary if row.expected == "yes")
    named = next((row.expected for row in rows if row.kind == "open"), None)
    return Lesson(
        test=max(true.facets["test"], key=len),  # an ordering belongs to its own test and to its family
        number=key.rpartition("/")[2],
        pictures=pictures,
        look=Exchange(true.lead_in, named.capitalize() if named else first_sentence(true.text)),
        statements=tuple(Exchange(row.text, str(row.expected).capitalize()) for row in binary),
    )


def first_sentence(text: str) -> str:
    return text.partition(". ")[0] + "."


def decoded(path: Path, count: int) -> list[ClipFrame]:
    """The frames that a run would show of this file, without repetitions."""
    return list({frame.index: frame for frame in frames(path, partial(evenly_spaced, count))}.values())


def sight_of(video_processor: Any, count: int) -> See:
    """A function that maps a file to the model's pictures at its own size; one picture if nothing moves."""

    def see(path: Path) -> torch.Tensor:
        seen = np.stack([frame.picture for frame in decoded(path, count)])
        if np.ptp(seen.astype(np.int16), axis=0).max() < STILL:
            seen = seen[:1]
        resized = video_processor(
            [seen], do_sample_frames=False, do_rescale=False, do_normalize=False, return_tensors="pt"
        )
        return resized["pixel_values_videos"][0].round().clamp(0, 255).to(torch.uint8)

    return see


def by_place(examples: Iterable[Lesson]) -> dict[str, list[list[Lesson]]]:
    """Groups of lessons that differ only in the answer, by test."""
    groups: dict[str, dict[str, list[Lesson]]] = defaultdict(lambda: defaultdict(list))
    for lesson in examples:
        groups[lesson.test][lesson.number].append(lesson)
    return {test: list(places.values()) for test, places in groups.items()}
