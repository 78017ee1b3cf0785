"""Sentences that answer a page's question, composed from the figures of its table.

A claim stands only where its figure does: an interval that leaves chance out, or a p after Holm's correction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.board.board_row import BoardRow
from leaderboard.board.cell_display import between, points
from leaderboard.comparison.report import ComparisonReport
from leaderboard.comparison.report_section import ReportLine
from measures.estimate import excludes, stands

MOST_NAMES = 2  # equal rows that are named; more are counted


@dataclass(frozen=True)
class ScoredRow:
    """A row with a figure and its interval, in the units of the page."""

    row: BoardRow
    value: float
    low: float | None = None
    high: float | None = None

    def is_apart(self, chance: float) -> bool:
        """Whether the interval leaves chance out."""
        return excludes(self.low, self.high, chance)

    def figure(self, unit: str) -> str:
        ends = "" if self.low is None or self.high is None else f" ({self.low:.3g}–{self.high:.3g})"
        return f"{self.value:.3g}{unit}{ends}"


def scored(lines: Sequence[ReportLine], places: tuple[int, int, int], words: str = "") -> list[ScoredRow]:
    """The figures at these places (value, low, high) of the lines whose last word is this, of all without it."""
    found = []
    for line in lines:
        value, low, high = (line.figures[place] for place in places)
        if isinstance(value, (int, float)) and (not words or line.words[-1] == words):
            ends = (float(end) if isinstance(end, (int, float)) else None for end in (low, high))
            found.append(ScoredRow(line.row, float(value), *ends))
    return found


def against_chance(rows: Sequence[ScoredRow], chance: float, unit: str = " %") -> SafeString:
    """How many results of models are above chance, the best of them, and people's figure; "" without any."""
    models, people = _models(rows), [one for one in rows if one.row.kind.is_measured_people]
    return _joined(_of_models(models, chance, unit) if models else "", *(_of_people(one, unit) for one in people[:1]))


def _models(rows: Sequence[ScoredRow]) -> list[ScoredRow]:
    return [one for one in rows if one.row.kind.is_ranked]


def _of_people(one: ScoredRow, unit: str) -> str:
    return f"People: {one.figure(unit)}."


def _of_models(models: Sequence[ScoredRow], chance: float, unit: str) -> SafeString:
    level = f"chance ({chance:g}{unit})"
    above = [one for one in models if one.is_apart(chance) and one.value > chance]
    below = [one for one in models if one.is_apart(chance) and one.value < chance]
    if len(models) == 1:
        side = "above " if above else "below " if below else "no different from "
        return format_html("{} is {}{}: {}.", _name(models[0].row), side, level, models[0].figure(unit))
    if not above and not below:
        return format_html("None of {} model results is different from {}.", len(models), level)
    counts = [
        f"{len(some)} {'is' if len(some) == 1 else 'are'} {side}"
        for some, side in ((above, "above"), (below, "below"))
        if some
    ]
    start = f"Of {len(models)} model results, {' and '.join(counts)} {level}"
    return format_html("{}{}.", start, _highest(above, unit) if above else "")


def _highest(rows: Sequence[ScoredRow], unit: str) -> SafeString:
    best = max(one.value for one in rows)
    tied = [one for one in rows if one.value == best]
    if len(tied) > MOST_NAMES:
        return format_html("; {} share the highest, {}", len(tied), f"{best:.3g}{unit}")
    figures = {one.figure(unit) for one in tied}
    figure = figures.pop() if len(figures) == 1 else f"{best:.3g}{unit}"
    return format_html("; highest: {}, {}", _names(tied), figure)


def between_models(rows: Sequence[ScoredRow], what: str, unit: str = " %") -> SafeString:
    """From where to where a figure without a chance level reaches, and people's; "" without any."""
    models = sorted(_models(rows), key=lambda one: one.value)
    people = [_of_people(one, unit) for one in rows if one.row.kind.is_measured_people]
    if not models:
        return _joined("", *people[:1])
    low, high = models[0], models[-1]
    if low.value == high.value:
        same = format_html("{}: {} for {}.", what, f"{low.value:.3g}{unit}", _names(models))
        return _joined(same, *people[:1])
    ends = (_name(low.row), low.figure(unit), _name(high.row), high.figure(unit))
    return _joined(format_html("{}: from {}, {}, to {}, {}.", what, *ends), *people[:1])


@dataclass(frozen=True)
class ChangedRow:
    """A row with a difference of shares and its p after Holm's correction."""

    row: BoardRow
    value: float
    p_holm: float | None


def changed(rows: Sequence[ChangedRow], what: str, of: str) -> SafeString:
    """Whose figure this changes, and the largest change; "" without rows."""
    certain = [one for one in rows if stands(one.p_holm)]
    if not rows:
        return SafeString("")
    if not certain:
        whose = format_html("{}", _name(rows[0].row)) if len(rows) == 1 else f"any of {len(rows)} rows"
        return format_html("{} is not shown to change the {} of {}.", what, of, whose)
    largest = max(certain, key=lambda one: abs(one.value))
    end = (_name(largest.row), points(largest.value))
    if len(rows) == 1:
        return format_html("{} changes the {} of {} by {} points.", what, of, *end)
    counts = f"{len(certain)} of {len(rows)} rows"
    return format_html("{} changes the {} of {}; most: {}, {} points.", what, of, counts, *end)


def depends(rows: Sequence[ScoredRow], what: str) -> SafeString:
    """How many results have a part of their spread that is above 0 by its interval; "" without rows."""
    certain = [one for one in rows if one.is_apart(0)]
    if not rows:
        return SafeString("")
    if not certain:
        return format_html("No result is shown to depend on {}.", what)
    most = max(certain, key=lambda one: one.value)
    counts = f"{len(certain)} of {len(rows)} results depend{'s' if len(certain) == 1 else ''} on {what}"
    return format_html("{}; most: {}, standard deviation {}.", counts, _name(most.row), most.figure(" points"))


def _name(row: BoardRow) -> SafeString:
    return format_html("<bdi>{}</bdi>{}", row.full_name, " (baseline)" if row.is_baseline else "")


def _names(rows: Sequence[ScoredRow]) -> SafeString:
    unique = list(dict.fromkeys(_name(one.row) for one in rows))
    return format_html_join(" and ", "{}", ((name,) for name in unique))


def _joined(*sentences: str) -> SafeString:
    return format_html_join(" ", "{}", ((one,) for one in sentences if one))


def sentence_of(reports: Sequence[ComparisonReport]) -> str:
    """The first row against the other, or against each of several others."""
    verb = "are" if reports[0].first.trial else "is"
    if len(reports) == 1:
        return _of_two(reports[0], verb)
    groups: dict[str, list[str]] = {"ahead of": [], "no different from": [], "behind": []}
    for one in reports:
        groups[_side(one)].append(one.second.name)
    parts = [f"{words} {_listed(names)}" for words, names in groups.items() if names]
    return f"{reports[0].first.name} {verb} {'; '.join(parts)}, on the questions that both answered."


def _of_two(one: ComparisonReport, verb: str) -> str:
    found = one.overall
    ends = between(points(found.interval.low), points(found.interval.high))
    where = f"on the {found.n} items about {found.clips} clips that both answered"
    first, second, side = one.first.name_beside(one.second), one.second.name_beside(one.first), _side(one)
    words = f"{points(abs(found.value)).lstrip('+')} points {side} {second}"
    if side == "no different from":
        words = f"{side} {second}: {points(found.value)} points"
    return f"{first} {verb} {words} ({ends}) {where}."


def _side(one: ComparisonReport) -> str:
    found = one.overall
    if not excludes(found.interval.low, found.interval.high, 0.0):
        return "no different from"
    return "ahead of" if found.value > 0 else "behind"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
