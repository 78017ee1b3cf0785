"""The board of generators: people, each judge, and truth stand side by side and are never averaged."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from extensions.generated.dimensions import DOMAINS, GENERAL, PHYGROUND, PRESETS, RatedDimension, read_dimensions
from extensions.generated.judging.audit import Audit, Evidence, JudgeAgreement, JudgePass, agreement_of, audit_of
from extensions.generated.models import Generator, Judge, JudgeReading, PromptPack
from measures.estimate import CrossedRows, crossed_rows
from measures.figures import Interval

OVERALL = "overall"
GENERAL_NAMES = tuple(dimension.name for dimension in GENERAL)


@dataclass(frozen=True)
class RatedColumn:
    """What can be shown of a pack: its overall score, a domain of laws, or one dimension."""

    name: str
    title: str
    dimensions: tuple[str, ...]


@dataclass(frozen=True)
class JudgeMean:
    """A judge's mean for one generator; `unread` of `n` answers could not be read."""

    mean: float
    interval: Interval | None
    n: int
    unread: int


@dataclass(frozen=True)
class GeneratorRow:
    generator: Generator
    people: float | None  # as it is printed
    source: str
    cells: tuple[JudgeMean | None, ...]  # in the order of the judges


def dimensions_of(pack: PromptPack) -> tuple[RatedDimension, ...]:
    return PRESETS[pack.preset] if pack.preset else read_dimensions(pack.dimensions)


def columns_of(pack: PromptPack) -> tuple[RatedColumn, ...]:
    """What a board of this pack can show, the first of them by default."""
    dimensions = dimensions_of(pack)
    single = tuple(RatedColumn(each.name, each.title, (each.name,)) for each in dimensions)
    if dimensions != PHYGROUND:
        return single
    general = tuple(column for column in single if column.name in GENERAL_NAMES)
    laws = tuple(column for column in single if column.name not in GENERAL_NAMES)
    domains = tuple(RatedColumn(name, f"{name} laws", names) for name, names in DOMAINS.items())
    return (RatedColumn(OVERALL, "Overall", tuple(each.name for each in dimensions)), *general, *domains, *laws)


def agreement_columns(pack: PromptPack) -> tuple[RatedColumn, ...]:
    """The dimensions by which two judges are compared; laws are taken together."""
    single = [RatedColumn(each.name, each.title, (each.name,)) for each in dimensions_of(pack) if not each.laws]
    laws = tuple(each.name for each in dimensions_of(pack) if each.laws)
    return (*single, *([RatedColumn("laws", "Laws", laws)] if laws else []))


class GeneratedBoard:
    """A pack's rows under one column; figures are computed when they are asked for."""

    def __init__(self, pack: PromptPack, column: RatedColumn) -> None:
        self.pack, self.column = pack, column
        self.judges: list[Judge] = list(pack.judges.all())

    @cached_property
    def readings(self) -> dict[int, list[JudgeReading]]:
        """Judge -> its readings, oldest first."""
        found: dict[int, list[JudgeReading]] = defaultdict(list)
        for reading in JudgeReading.objects.filter(judge__in=self.judges).select_related("generator"):
            found[reading.judge_id].append(reading)
        return found

    @cached_property
    def rows(self) -> list[GeneratorRow]:
        """By people's mean, best first; generators without one follow."""
        reported = {row.generator_id: row for row in self.pack.reported_rows.select_related("generator")}
        generators = {row.generator_id: row.generator for row in reported.values()}
        generators |= {reading.generator_id: reading.generator for each in self.readings.values() for reading in each}
        cells = [self.cells_of(judge) for judge in self.judges]
        rows = [
            GeneratorRow(
                generator,
                reported[key].scores.get(self.column.name) if key in reported else None,
                reported[key].source if key in reported else "",
                tuple(each.get(key) for each in cells),
            )
            for key, generator in generators.items()
        ]
        return sorted(rows, key=lambda row: (row.people is None, -(row.people or 0), row.generator.title))

    def first_readings(self, judge: Judge) -> dict[int, JudgeReading]:
        """Generator -> the judge's first reading of it, which the board shows."""
        first: dict[int, JudgeReading] = {}
        for reading in self.readings.get(judge.pk, ()):
            first.setdefault(reading.generator_id, reading)
        return first

    def agreement(self, one: Judge, other: Judge, dimensions: Collection[str]) -> JudgeAgreement:
        """How alike two judges rated the same clips."""
        first, second = (
            {
                (f"{generator} {prompt}", name): step
                for generator, reading in self.first_readings(judge).items()
                for prompt, steps in reading.scores.items()
                for name, step in steps.items()
            }
            for judge in (one, other)
        )
        return agreement_of(first, second, dimensions)

    def cells_of(self, judge: Judge) -> dict[int, JudgeMean]:
        """Generator -> the judge's mean for it."""
        first = self.first_readings(judge)
        figures = judged_rows([reading.scores for reading in first.values()], self.column)
        found = {}
        for place, (generator, reading) in enumerate(first.items()):
            steps = [
                scores.get(name)
                for scores in reading.scores.values()
                for name in self.column.dimensions
                if name in scores
            ]
            if any(step is not None for step in steps):
                unread = sum(step is None for step in steps)
                found[generator] = JudgeMean(float(figures.values[place]), figures.of_row(place), len(steps), unread)
        return found

    def audit_of(self, judge: Judge) -> Audit:
        """Whether the judge may rank these generators: over all dimensions, whatever the column shows."""
        readings = self.readings.get(judge.pk, ())
        means = {row.generator.slug: row.cells[self.judges.index(judge)] for row in self.rows}
        return audit_of(
            Evidence(
                [JudgePass(reading.generator.slug, _flat(reading.scores)) for reading in readings],
                {slug: cell.mean for slug, cell in means.items() if cell},
                {row.generator.slug: row.people for row in self.rows if row.people is not None},
                unrelated=frozenset({"flips"}),  # it rates one clip at a time
            )
        )


def _flat(scores: Mapping[str, Mapping[str, int | None]]) -> dict[tuple[str, str], int | None]:
    return {(prompt, name): step for prompt, steps in scores.items() for name, step in steps.items()}


def judged_rows(scores: Sequence[Mapping[str, Mapping[str, int | None]]], column: RatedColumn) -> CrossedRows:
    """One judge's means, a row for each generator's scores; prompts are the sample.

    Overall is half the mean of the general means, half the mean over all laws (`phyground_overall`); a domain is the
    mean over its (clip, law) scores; everything else is a mean over clips.
    """
    parts = [_Parts.of(each, groups) for each in scores for groups in [_groups(column)]]
    prompts = sorted({prompt for each in parts for prompt in each.by_prompt})
    places = {prompt: place for place, prompt in enumerate(prompts)}
    whole = np.zeros((len(prompts) * len(parts), len(parts)))
    labels = np.tile(np.arange(len(prompts)), len(parts))
    for row, each in enumerate(parts):
        for prompt, value in each.by_prompt.items():
            whole[row * len(prompts) + places[prompt], row] = value
    return crossed_rows([each.value for each in parts], whole, np.zeros(len(whole), int), labels)


def _groups(column: RatedColumn) -> list[tuple[float, tuple[str, ...]]]:
    """Weights of the means that the column's figure is made of, and the dimensions of each."""
    if column.name != OVERALL:
        return [(1.0, column.dimensions)]
    laws = tuple(name for name in column.dimensions if name not in GENERAL_NAMES)
    return [*((0.5 / len(GENERAL_NAMES), (name,)) for name in GENERAL_NAMES), (0.5, laws)]


@dataclass(frozen=True)
class _Parts:
    """A weighted sum of means, and what each prompt adds to it, to first order."""

    value: float
    by_prompt: Mapping[str, float]

    @classmethod
    def of(
        cls, scores: Mapping[str, Mapping[str, int | None]], groups: Iterable[tuple[float, tuple[str, ...]]]
    ) -> "_Parts":
        value, by_prompt = 0.0, dict.fromkeys(scores, 0.0)
        for weight, names in groups:
            steps = [
                (prompt, step)
                for prompt, each in scores.items()
                for name in names
                if (step := each.get(name)) is not None
            ]
            if not steps:
                continue
            mean = sum(step for _, step in steps) / len(steps)
            value += weight * mean
            for prompt, step in steps:
                by_prompt[prompt] += weight * (step - mean) / len(steps)
        return cls(value, by_prompt)
