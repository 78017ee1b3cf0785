"""The sentence of a comparison: who is better on the same questions, where the interval allows to say so."""

from collections.abc import Sequence

from leaderboard.board.cell_display import between, points
from leaderboard.comparison.report import ComparisonReport
from measures.estimate import excludes


def sentence_of(reports: Sequence[ComparisonReport]) -> str:
    """The first row against the other, or against each of several others."""
    if len(reports) == 1:
        return _of_two(reports[0])
    groups: dict[str, list[str]] = {"ahead of": [], "no different from": [], "behind": []}
    for one in reports:
        groups[_side(one)].append(one.second.name)
    parts = [f"{words} {_listed(names)}" for words, names in groups.items() if names]
    return f"{reports[0].first.name} is {'; '.join(parts)}, on the questions that both answered."


def _of_two(one: ComparisonReport) -> str:
    found = one.overall
    ends = between(points(found.interval.low), points(found.interval.high))
    where = f"on the {found.n} items about {found.clips} clips that both answered"
    same = one.first.name == one.second.name
    first, second = (f"{row.name} ({row.setting})" if same else row.name for row in (one.first, one.second))
    side = _side(one)
    if side == "no different from":
        return f"{first} is no different from {second}: {points(found.value)} points ({ends}) {where}."
    return f"{first} is {points(abs(found.value)).lstrip('+')} points {side} {second} ({ends}) {where}."


def _side(one: ComparisonReport) -> str:
    found = one.overall
    if not excludes(found.interval.low, found.interval.high, 0.0):
        return "no different from"
    return "ahead of" if found.value > 0 else "behind"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
