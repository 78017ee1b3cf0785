"""The clips of a round as numbers, by which all answers are counted."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchmarks.definitions.rated_dimensions import CANT_TELL, RatedDimension
from extensions.generated.models import (
    AskedClip,
    ClipSet,
    ClipSetState,
    GeneratedClip,
    GeneratorRole,
    Prompt,
    RatingRound,
)

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


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
class RoundClips:
    """Rows are the listed clip sets of a round, in the order in which they came; a withdrawn set has left it."""

    round: RatingRound
    sets: tuple[ClipSet, ...]
    prompts: tuple[Prompt, ...]
    clips: tuple[GeneratedClip, ...]
    of_item: Mapping[int, tuple[int, ...]]  # item -> the numbers of its clips, by place

    @classmethod
    def of(cls, rating_round: RatingRound) -> "RoundClips":
        asked = AskedClip.objects.filter(round=rating_round).order_by("item_id", "place")
        by_item: dict[int, list[int]] = defaultdict(list)
        for item, clip in asked.values_list("item_id", "clip_id"):
            by_item[item].append(clip)
        sets = list(
            ClipSet.objects.filter(clips__asked__round=rating_round, state=ClipSetState.LISTED)
            .select_related("generator")
            .distinct()
            .order_by("pk")
        )
        known = GeneratedClip.objects.filter(asked__round=rating_round, clip_set__in=sets).distinct().order_by("pk")
        clips = tuple(known.select_related("prompt"))
        prompts = {clip.prompt_id: clip.prompt for clip in clips}
        numbers = {clip.pk: number for number, clip in enumerate(clips)}
        return cls(
            rating_round,
            tuple(sets),
            tuple(sorted(prompts.values(), key=lambda prompt: prompt.key)),
            clips,
            {
                item: tuple(numbers[clip] for clip in both)
                for item, both in by_item.items()
                if numbers.keys() >= set(both)
            },
        )

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        return tuple(map(Scale, self.round.pack.dimensions))

    @cached_property
    def rows(self) -> Places:
        """The row of each clip."""
        places = {one.pk: place for place, one in enumerate(self.sets)}
        return np.array([places[clip.clip_set_id] for clip in self.clips], np.int64)

    @cached_property
    def prompt_numbers(self) -> Places:
        """The prompt of each clip."""
        places = {prompt.pk: place for place, prompt in enumerate(self.prompts)}
        return np.array([places[clip.prompt_id] for clip in self.clips], np.int64)

    @property
    def ranked(self) -> list[int]:
        """Rows of generators; ceilings and floors are lines beside them."""
        return [row for row in range(len(self.sets)) if self.role(row) == GeneratorRole.GENERATOR]

    def role(self, row: int) -> str:
        generator = self.sets[row].generator
        return generator.role if generator else GeneratorRole.GENERATOR
