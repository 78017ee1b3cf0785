"""A board: one row a clip set, and beside each other what people, each judge and truth say of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from extensions.generated.models import GeneratorRole
from extensions.generated.scores.answers import JUDGE, REPORTED, Answerer, RaterAnswers, RoundAnswers
from extensions.generated.scores.columns import ScoreColumn, bounds_of
from extensions.generated.scores.rated_rows import Places, RatedRow, RatedRows
from measures.estimate import (
    CrossedRows,
    Ratings,
    bias_rows,
    excludes,
    mean_rows,
    ordinal_alpha,
    ranks,
    reaching_rows,
    split_half,
)
from measures.figures import Interval, Rank

PROMPTS = (24, 50, 100, 250, 500)  # for which the board says what they can show


@dataclass(frozen=True)
class AnswerCounts:
    """What stands beside a figure: only `n` answers made it, and none of the others is scored."""

    n: int
    cant_tell: int
    unread: int
    missing: int

    @property
    def left_out(self) -> str:
        words = {"can’t tell": self.cant_tell, "unread": self.unread, "missing": self.missing}
        return ", ".join(f"{count:,} {word}" for word, count in words.items() if count)


@dataclass(frozen=True)
class RowFigure:
    """One answerer's figure of one row; `side` is ▲ or ▼ where a judge rates higher or lower than people do."""

    value: float
    interval: Interval | None
    counts: AnswerCounts
    rank: Rank | None = None
    side: str = ""

    @property
    def ranks(self) -> str:
        """Every rank that the row can have: 2–4, or 1; "–" if it has none."""
        if self.rank is None:
            return "–"
        return str(self.rank.best) if self.rank.best == self.rank.worst else f"{self.rank.best}–{self.rank.worst}"


@dataclass(frozen=True)
class TruthFigure:
    """How many of a row's clips are unbroken, of those made here to be or not to be."""

    unbroken: int
    n: int
    ranks: str = "–"


@dataclass(frozen=True)
class BoardLine:
    """A row with its figures, in the order of the answerers."""

    row: RatedRow
    figures: tuple[RowFigure | None, ...]
    truth: TruthFigure | None


@dataclass(frozen=True)
class ScoredRows:
    """One answerer's figures of some rows; `numbers` are those of the rows in the round."""

    numbers: tuple[int, ...]
    rows: CrossedRows
    is_share: bool
    bounds: tuple[float, float]  # the lowest and the highest figure that there can be

    def interval(self, place: int) -> Interval | None:
        found = self.rows.of_share(place) if self.is_share else self.rows.of_row(place)
        lowest, highest = self.bounds
        return found and Interval(max(lowest, found.low), min(highest, found.high))


class RoundBoard:
    """All rows under one column; figures are computed when they are asked for."""

    def __init__(self, answers: RoundAnswers, column: ScoreColumn, barred: Collection[str] = ()) -> None:
        """`barred` names the judges whose audit keeps them from ranking."""
        self.answers, self.found, self.column, self.barred = answers, answers.found, column, barred

    @cached_property
    def ranked(self) -> list[BoardLine]:
        """Generators, by people's figure or that of the first judge who has one, the highest first."""
        return sorted(map(self._line, self.found.ranked), key=_order)

    @cached_property
    def lines(self) -> list[BoardLine]:
        """Ceilings, then floors: they have no ranks."""
        found = map(self._line, self.found.lines)
        return sorted(found, key=lambda line: (line.row.role != GeneratorRole.CEILING, _order(line)))

    def _line(self, number: int) -> BoardLine:
        figures = tuple(self.figures[one.slug].get(number) for one in self.answers.answerers)
        return BoardLine(self.found.rows[number], figures, self.truth.get(number))

    @cached_property
    def figures(self) -> dict[str, dict[int, RowFigure]]:
        """Answerer -> row -> figure."""
        return {one.slug: self._figures(one) for one in self.answers.answerers}

    def _figures(self, one: Answerer) -> dict[int, RowFigure]:
        if one.kind == REPORTED:
            printed = one.printed.get(self.column.name, {})
            return {row: RowFigure(mean, None, AnswerCounts(0, 0, 0, 0)) for row, mean in printed.items()}
        counts, sides = counts_of(self.found, one.answers, self.column), self._sides(one)
        figures = {}
        lines = self._scored(one, self.found.lines)
        for scored, has_ranks in ((self.scored(one), one.slug not in self.barred), (lines, False)):
            known = [place for place, value in enumerate(scored.rows.values) if not np.isnan(value)]
            values = scored.rows.values[known].tolist()
            found = ranks(scored.rows.below[np.ix_(known, known)], values) if has_ranks else [None] * len(known)
            for place, value, rank in zip(known, values, found, strict=True):
                number = scored.numbers[place]
                interval, side = scored.interval(place), sides.get(number, "")
                figures[number] = RowFigure(value, interval, counts[number], rank, side)
        return figures

    def scored(self, one: Answerer) -> ScoredRows:
        """The generators: those that get ranks on the prompts that all of them have."""
        return self._scored(one, self.found.ranked, None if one.slug in self.barred else self.common[one.slug])

    def _scored(self, one: Answerer, numbers: Sequence[int], prompts: Places | None = None) -> ScoredRows:
        ratings = only_rows(one.answers.ratings(self.found).about(self.column.dimensions), numbers, prompts)
        if self.column.is_share:
            rows = reaching_rows(ratings, dict(self.column.limits), len(numbers))
        else:
            rows = mean_rows(ratings, self.column.groups, len(numbers))
        return ScoredRows(tuple(numbers), rows, self.column.is_share, bounds_of(self.column, self.found.scales))

    @cached_property
    def common(self) -> Mapping[str, Places]:
        """Answerer -> the prompts on which it answered, whatever it said, about every generator that it knows."""
        return {one.slug: self._common(one) for one in self.answers.answerers}

    def _common(self, one: Answerer) -> Places:
        own = np.isin(one.answers.dimensions, self.column.dimensions)
        clips = one.answers.clips[own]
        is_there = np.zeros((len(self.found.rows), len(self.found.prompts)), bool)
        is_there[self.found.row_of[clips], self.found.prompt_of[clips]] = True
        ranked = is_there[self.found.ranked]
        return np.flatnonzero(ranked[ranked.any(axis=1)].all(axis=0)) if ranked.any() else np.zeros(0, np.int64)

    def left_out(self, one: Answerer) -> int:
        """How many prompts only some generators have an answer to."""
        own = np.isin(one.answers.dimensions, self.column.dimensions)
        rows = self.found.row_of[one.answers.clips[own]]
        prompts = self.found.prompt_of[one.answers.clips[own]][np.isin(rows, self.found.ranked)]
        return len(np.unique(prompts)) - len(self.common[one.slug])

    def _sides(self, one: Answerer) -> dict[int, str]:
        """Row -> whether this judge rates it higher or lower than people, by an interval that leaves 0 out."""
        if one.kind != JUDGE or self.answers.people is None or self.answers.people.kind == REPORTED:
            return {}
        return {
            number: "▲" if bias > 0 else "▼"
            for number, (bias, interval) in self.bias(one).items()
            if interval and excludes(interval.low, interval.high, 0.0)
        }

    def bias(self, judge: Answerer) -> dict[int, tuple[float, Interval | None]]:
        """Row -> the judge's mean minus people's, without an interval where theirs is only printed."""
        people = self.answers.people
        if people is None:
            return {}
        if people.kind == REPORTED:
            own, theirs = self.figures[judge.slug], self.figures[people.slug]
            return {row: (own[row].value - theirs[row].value, None) for row in theirs if row in own}
        numbers = range(len(self.found.rows))
        both = people.answers.ratings(self.found), judge.answers.ratings(self.found)
        rows = bias_rows(*both, self.column.as_means, len(numbers))
        return {row: (float(rows.values[row]), rows.of_row(row)) for row in numbers if not np.isnan(rows.values[row])}

    @cached_property
    def truth(self) -> dict[int, TruthFigure]:
        """Rows whose clips' truth is known, all of it; with ranks if that holds for all generators."""
        counts: dict[int, TruthFigure] = {}
        for number in range(len(self.found.rows)):
            truths = [self.found.truths[clip] for clip in np.flatnonzero(self.found.row_of == number)]
            if truths and all(truths):
                unbroken = sum(not (truth or {})["is_broken"] for truth in truths)
                counts[number] = TruthFigure(unbroken, len(truths))
        are_known = counts.keys() >= set(self.found.ranked)
        shares = {row: counts[row].unbroken / counts[row].n for row in self.found.ranked if are_known}
        for row, share in shares.items():
            best = 1 + sum(other > share for other in shares.values())
            worst = sum(other >= share for other in shares.values())
            named = str(best) if best == worst else f"{best}–{worst}"
            counts[row] = TruthFigure(counts[row].unbroken, counts[row].n, named)
        return counts

    def sizes(self, one: Answerer) -> list[tuple[int, float | None, float | None]]:
        """(prompts, half the width of a usual row's interval, smallest difference that is told apart)."""
        rows = self.scored(one).rows
        if rows.prompts.degrees < 1:
            return []
        planned = [(number, rows.with_prompts(number)) for number in PROMPTS]
        return [(number, _half_width(each), each.separable) for number, each in planned]

    def agreement(self, one: Answerer) -> list[tuple[str, float | None, float | None]]:
        """(dimension, ordinal alpha, split-half over generators) of people."""
        ratings = one.answers.ratings(self.found)
        return [
            (scale.dimension.title, ordinal_alpha(own.values, own.clips), split_half(own.values, own.rows, own.people))
            for number, scale in enumerate(self.found.scales)
            if len(own := ratings.about([number]))
        ]


def _half_width(rows: CrossedRows) -> float | None:
    widths = sorted(each.half_width for row in range(len(rows.values)) if (each := rows.of_row(row)))
    return widths[len(widths) // 2] if widths else None


def _order(line: BoardLine) -> tuple[bool, float, str]:
    value = next((figure.value for figure in line.figures if figure), None)
    return value is None, -(value or 0.0), line.row.title


def only_rows(ratings: Ratings, numbers: Sequence[int], prompts: Places | None = None) -> Ratings:
    """The ratings of these rows, numbered anew in this order, and of these prompts."""
    chosen = np.isin(ratings.rows, np.array(numbers, np.int64))
    own = ratings.only(chosen if prompts is None else chosen & np.isin(ratings.prompts, prompts))
    places = np.zeros(int(max([*numbers, 0])) + 1, np.int64)
    places[list(numbers)] = np.arange(len(numbers))
    return Ratings(own.values, places[own.rows], own.prompts, own.clips, own.dimensions, own.people)


def counts_of(found: RatedRows, answers: RaterAnswers, column: ScoreColumn) -> list[AnswerCounts]:
    """Of each row, how many answers made its figure and how many did not."""
    own = np.isin(answers.dimensions, column.dimensions)
    rows, values, unsure = found.row_of[answers.clips[own]], answers.values[own], answers.cant_tell[own]
    kinds = (~np.isnan(values), unsure > 0, np.isnan(values) & (unsure == 0))
    n, cant_tell, unread = (np.bincount(rows[kind], minlength=len(found.rows)).tolist() for kind in kinds)
    wanted = answers.wanted[:, list(column.dimensions)].sum(axis=1).tolist()
    return [
        AnswerCounts(*each, max(0, wanted[row] - sum(each)))
        for row, each in enumerate(zip(n, cant_tell, unread, strict=True))
    ]
