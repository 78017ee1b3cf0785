"""The board of generators: people, each judge, and truth stand side by side and are never averaged."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from extensions.generated.dimensions import DOMAINS, GENERAL
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


def columns_of(pack: PromptPack) -> tuple[RatedColumn, ...]:
    """What a board of this pack can show, the first of them by default; () for a pack of votes alone."""
    dimensions = pack.dimensions
    single = tuple(RatedColumn(dimension.name, dimension.title, (dimension.name,)) for dimension in dimensions)
    if pack.preset != "phyground":
        return single
    general = tuple(column for column in single if column.name in GENERAL_NAMES)
    laws = tuple(column for column in single if column.name not in GENERAL_NAMES)
    domains = tuple(RatedColumn(name, f"{name} laws", names) for name, names in DOMAINS.items())
    names = tuple(dimension.name for dimension in dimensions)
    return (RatedColumn(OVERALL, "Overall", names), *general, *domains, *laws)


def agreement_columns(pack: PromptPack) -> tuple[RatedColumn, ...]:
    """The dimensions by which two judges are compared; laws are taken together."""
    dimensions = pack.dimensions
    single = [RatedColumn(each.name, each.title, (each.name,)) for each in dimensions if not each.laws]
    return (*single, RatedColumn("laws", "Laws", tuple(each.name for each in dimensions if each.laws)))


class GeneratedBoard:
    """A pack's rows under one column; figures are computed when they are asked for."""

    def __init__(self, pack: PromptPack, column: RatedColumn) -> None:
        self.pack, self.column = pack, column
        self.judges: list[Judge] = list(pack.judges.all())

    @cached_property
    def readings(self) -> dict[int, list[JudgeReading]]:
        """Judge -> its readings, oldest first."""
        by_judge: dict[int, list[JudgeReading]] = defaultdict(list)
        for reading in JudgeReading.objects.filter(judge__in=self.judges).select_related("generator"):
            by_judge[reading.judge_id].append(reading)
        return by_judge

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

    def agreement(self, first: Judge, second: Judge, dimensions: Collection[str]) -> JudgeAgreement:
        """How alike two judges rated the same clips."""
        return agreement_of(self._first_scores[first.pk], self._first_scores[second.pk], dimensions)

    @cached_property
    def _first_scores(self) -> dict[int, dict[tuple[str, str], int | None]]:
        """Judge -> (generator and prompt, dimension) -> step."""
        return {
            judge.pk: {
                (f"{generator} {prompt}", name): step
                for generator, reading in self.first_readings(judge).items()
                for (prompt, name), step in _flat(reading.scores).items()
            }
            for judge in self.judges
        }

    def cells_of(self, judge: Judge) -> dict[int, JudgeMean]:
        """Generator -> the judge's mean for it."""
        readings = [
            (reading, means)
            for reading in self.first_readings(judge).values()
            if (means := WeightedMeans.of(reading.scores, _groups(self.column)))
        ]
        figures = judged_rows([means for _, means in readings])
        cells = {}
        for row, (reading, means) in enumerate(readings):
            steps = [step for (_, name), step in _flat(reading.scores).items() if name in self.column.dimensions]
            unread = sum(step is None for step in steps)
            cells[reading.generator_id] = JudgeMean(means.value, figures.of_row(row), len(steps), unread)
        return cells

    @cached_property
    def audits(self) -> dict[int, Audit]:
        """Judge -> whether it may rank these generators by what the column shows."""
        return {judge.pk: self._audit_of(place, judge) for place, judge in enumerate(self.judges)}

    def _audit_of(self, place: int, judge: Judge) -> Audit:
        readings = [
            JudgePass(reading.generator.slug, _flat(reading.scores)) for reading in self.readings.get(judge.pk, ())
        ]
        means = {row.generator.slug: cell.mean for row in self.rows if (cell := row.cells[place])}
        people = {row.generator.slug: row.people for row in self.rows if row.people is not None}
        return audit_of(Evidence(readings, means, people))


def _flat(scores: Mapping[str, Mapping[str, int | None]]) -> dict[tuple[str, str], int | None]:
    return {(prompt, name): step for prompt, steps in scores.items() for name, step in steps.items()}


def _groups(column: RatedColumn) -> list[tuple[float, tuple[str, ...]]]:
    """Weights of the means that the column's figure is made of, and the dimensions of each.

    Overall is half the mean of the general means, half the mean over all (clip, law) scores, as the paper weighs its
    domains by their numbers of scores (arXiv 2605.10806); everything else is a mean over its scores.
    """
    if column.name != OVERALL:
        return [(1.0, column.dimensions)]
    laws = tuple(name for name in column.dimensions if name not in GENERAL_NAMES)
    return [*((0.5 / len(GENERAL_NAMES), (name,)) for name in GENERAL_NAMES), (0.5, laws)]


@dataclass(frozen=True)
class WeightedMeans:
    """A weighted sum of means, and what each prompt adds to it, to first order."""

    value: float
    by_prompt: Mapping[str, float]

    @classmethod
    def of(
        cls, scores: Mapping[str, Mapping[str, int | None]], groups: Iterable[tuple[float, tuple[str, ...]]]
    ) -> "WeightedMeans | None":
        """None if one of the means has no readable score: what is missing is no zero."""
        value, by_prompt = 0.0, dict.fromkeys(scores, 0.0)
        for weight, names in groups:
            steps = [(prompt, step) for (prompt, name), step in _flat(scores).items() if name in names]
            read = [(prompt, step) for prompt, step in steps if step is not None]
            if not read:
                return None
            mean = sum(step for _, step in read) / len(read)
            value += weight * mean
            for prompt, step in read:
                by_prompt[prompt] += weight * (step - mean) / len(read)
        return cls(value, by_prompt)


def judged_rows(sums: Sequence[WeightedMeans]) -> CrossedRows:
    """One judge's means, a row for each generator; prompts are the sample."""
    prompts = sorted({prompt for row in sums for prompt in row.by_prompt})
    parts = np.zeros((len(sums), len(prompts), len(sums)))
    for row, means in enumerate(sums):
        parts[row, :, row] = [means.by_prompt.get(prompt, 0.0) for prompt in prompts]
    labels = np.tile(np.arange(len(prompts)), len(sums))
    one_judge = np.zeros(len(labels), int)
    return crossed_rows([means.value for means in sums], parts.reshape(-1, len(sums)), one_judge, labels)
