"""The rows of a board and their clips as numbers, by which all answers are counted."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.definitions.rated_dimensions import CANT_TELL, RatedDimension
from extensions.generated.models import (
    ClipSet,
    ClipSetState,
    GeneratedClip,
    Generator,
    GeneratorRole,
    PromptPack,
    RatedClip,
    RatingRound,
)

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class RatedRow:
    """A row: a generator's clip set, or a generator of which scores were published."""

    slug: str
    title: str
    role: str
    about: str
    address: str = ""

    @classmethod
    def of(cls, generator: Generator | None, clip_set: ClipSet | None = None) -> "RatedRow":
        role = generator.role if generator else GeneratorRole.GENERATOR
        about = generator.get_access_display() if generator and generator.access else ""
        if clip_set is None:
            assert generator is not None, "a row is of one of them"
            return cls(generator.slug, generator.title, role, about)
        return cls(clip_set.slug, clip_set.title, role, about, clip_set.get_absolute_url())


@dataclass(frozen=True)
class Scale:
    """The steps of a dimension as numbers: those of its file, or places from 0 where values are words."""

    dimension: RatedDimension

    @cached_property
    def steps(self) -> Mapping[str, int]:
        values = self.dimension.values
        numbers = [int(value) for value in values if value.isdecimal()]
        are_counted = len(numbers) == len(values) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        return dict(zip(values, numbers if are_counted else range(len(values)), strict=True))

    @property
    def top(self) -> int:
        """The lowest step of the top part: two fifths of the steps, at least one; 4 of 1 to 5."""
        return list(self.steps.values())[-max(1, 2 * len(self.steps) // 5)]

    def number(self, answer: str) -> float:
        """The step of an answer; nan for "can't tell" and for what is no answer."""
        return float(self.steps.get(answer, np.nan)) if answer != CANT_TELL else np.nan


@dataclass(frozen=True)
class RatedRows:
    """Rows, and of each clip its row, its prompt and its truth (None: unknown)."""

    pack: PromptPack
    rows: tuple[RatedRow, ...]
    prompts: tuple[str, ...]  # their keys
    row_of: Places
    prompt_of: Places
    truths: tuple[Mapping[str, Any] | None, ...]
    clips: tuple[GeneratedClip, ...] = ()
    of_item: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # question -> its clips, by place

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        return tuple(map(Scale, self.pack.dimensions))

    @cached_property
    def ranked(self) -> list[int]:
        """Generators; ceilings and floors are lines beside them."""
        return [place for place, row in enumerate(self.rows) if row.role == GeneratorRole.GENERATOR]

    @property
    def lines(self) -> list[int]:
        return [place for place in range(len(self.rows)) if place not in self.ranked]


def rows_of_round(found: RatingRound) -> RatedRows:
    """The listed clip sets of a round; a withdrawn one has left it, and so have the pairs that it was in."""
    by_item: dict[int, list[int]] = defaultdict(list)
    rated = RatedClip.objects.filter(round=found).order_by("item_id", "place")
    for item, clip in rated.values_list("item_id", "clip_id"):
        by_item[item].append(clip)
    listed = ClipSet.objects.filter(state=ClipSetState.LISTED, clips__asked__round=found).distinct()
    sets = list(listed.select_related("generator").order_by("pk"))
    known = GeneratedClip.objects.filter(asked__round=found, clip_set__in=sets).distinct()
    clips = tuple(known.select_related("prompt").order_by("prompt__key", "take", "pk"))
    prompts = list(dict.fromkeys(clip.prompt.key for clip in clips))
    rows = {clip_set.pk: place for place, clip_set in enumerate(sets)}
    numbers = {clip.pk: number for number, clip in enumerate(clips)}
    return RatedRows(
        found.pack,
        tuple(RatedRow.of(clip_set.generator, clip_set) for clip_set in sets),
        tuple(prompts),
        np.array([rows[clip.clip_set_id] for clip in clips], np.int64),
        np.array([prompts.index(clip.prompt.key) for clip in clips], np.int64),
        tuple(clip.truth for clip in clips),
        clips,
        {item: tuple(numbers[clip] for clip in both) for item, both in by_item.items() if numbers.keys() >= set(both)},
    )
