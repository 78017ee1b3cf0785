"""What raters are asked about a clip that a generator made: a question, its steps, and where it applies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.definitions.published_data import fields_of

CANT_TELL = "na"  # stored for "can't tell", which is neither missing nor a step


@dataclass(frozen=True)
class RatingStep:
    """One answer of a scale: the value that is stored, and the words beside it."""

    value: str
    anchor: str


@dataclass(frozen=True)
class RatedDimension:
    """One question about a clip, with its steps from the worst to the best."""

    name: str
    title: str
    question: str
    steps: tuple[RatingStep, ...]
    hint: str = ""  # below the question
    level: str = ""  # of the benchmark, whose prompts ask models this question
    can_skip: bool = True  # "can't tell" is offered
    shows_prompt: bool = False  # asked after the prompt has been shown; others are asked before
    laws: tuple[str, ...] = ()  # asked of prompts that name one of them; () = of every prompt

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(step.value for step in self.steps)

    @property
    def answers(self) -> tuple[str, ...]:
        return (*self.values, CANT_TELL) if self.can_skip else self.values

    def applies_to(self, laws: Sequence[str]) -> bool:
        """Whether it is asked about the clips of a prompt with these laws."""
        return not self.laws or bool(set(self.laws) & set(laws))


def dimension_of(record: Mapping[str, Any]) -> RatedDimension:
    """The dimension of a table `[[dimensions]]` that fits the schema; steps beyond the shorter list are left out."""
    values = record.get("values") or [str(place) for place, _ in enumerate(record["anchors"], record.get("first", 1))]
    steps = (RatingStep(value, anchor) for value, anchor in zip(values, record["anchors"], strict=False))
    stated = fields_of(record, "name", "title", "question", "hint", "level", "can_skip", "shows_prompt", "laws")
    return RatedDimension(**{"title": record["name"]} | stated, steps=tuple(steps))


def ratings_in(answer: str) -> dict[str, str]:
    """The values by dimension in a stored answer such as `PC=2 persistence=na`."""
    return dict(part.split("=", 1) for part in answer.split() if "=" in part)


def rating_text(ratings: Mapping[str, str]) -> str:
    """What `ratings_in` reads."""
    return " ".join(f"{name}={value}" for name, value in ratings.items())
