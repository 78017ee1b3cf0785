"""Compares free and constrained replies: accuracy if a model can reply only with one of the options."""

from dataclasses import dataclass
from typing import Any

from benchmarks.definitions.definition import Benchmark, StrategyName
from evaluation.models import Run
from leaderboard.board.board_row import BoardRow
from leaderboard.board.query import View, view_of
from leaderboard.board_analysis import BoardAnalysis, BoardLink, has_strategy
from leaderboard.comparison.answers import ChangedRow, changed
from leaderboard.comparison.report_section import ReportLine, ReportSection, per_cent, row_of, standings_of_level
from leaderboard.exports.table import Value
from leaderboard.models import Standing
from leaderboard.standings.paired_differences import pairs_of
from measures.estimate import difference, family
from measures.figures import Difference

SAME = ("kind", "model_id", "revision", "condition", "split", "sampler", "sampling", "referee")


@dataclass(frozen=True)
class FreeAndHeld:
    """One model's standings with free and with constrained replies, and their paired difference."""

    free: Standing
    held: Standing
    difference: Difference | None  # constrained minus free, on the public questions of both

    @property
    def row(self) -> BoardRow:
        return row_of(self.held)


def free_and_held(view: View) -> list[FreeAndHeld]:
    """Every model of the level that was asked both ways, by name."""
    standings = list(standings_of_level(view))
    free = {_place(standing.run, standing.run.strategy): standing for standing in standings if standing.run}
    found = []
    for held in standings:
        strategy = view.benchmark.strategy(held.strategy)
        if held.run is None or not (strategy.constrained or strategy.by_likelihood):
            continue
        if own := free.get(_place(held.run, base_of(view.benchmark, strategy))):
            found.append(FreeAndHeld(own, held, _difference(held, own, view.split)))
    return sorted(found, key=lambda one: (one.held.name, one.free.strategy, one.held.strategy, one.held.pk))


def base_of(benchmark: Benchmark, strategy: StrategyName) -> str:
    """The strategy with the same prompts and free replies; '' for none."""
    name = strategy.name.rpartition("-")[0] if strategy.is_variant else ""
    return name if any(one.name == name for one in benchmark.strategies) else ""


def _place(run: Run, strategy: str) -> tuple[Any, ...]:
    return (strategy, *(str(getattr(run, name)) for name in SAME))


def _difference(held: Standing, free: Standing, split: str) -> Difference | None:
    assert held.run is not None
    assert free.run is not None
    pairs = pairs_of(held.run, free.run, split)
    return difference(pairs) if pairs else None


def constrained_section(view: View) -> ReportSection:
    found = free_and_held(view)
    adjusted = family([one.difference.p if one.difference else None for one in found])
    changes = [
        ChangedRow(one.row, one.difference.value, p) for one, p in zip(found, adjusted, strict=True) if one.difference
    ]
    return ReportSection(
        badge="constrained",
        title="Free vs constrained answers",
        heads=(
            *("Prompting", "Held by"),
            *("n", "Free, %", "of these unparsed, %", "Constrained, %"),
            *("Difference, points", "low", "high", "p"),
        ),
        lines=[
            ReportLine(
                one.row, (str(view.benchmark.strategy(one.free.strategy).title), _held_by(one, view)), _line(one, view)
            )
            for one in found
        ],
        answer=changed(changes, "A reply held to the options", "accuracy"),
        note=(
            "The same model, prompts and frames. Free replies that name no option count as wrong; constrained ones"
            " always name one, by a grammar during generation or as the option with the highest likelihood. A gain"
            " of about the unparsed share times chance is form, not knowledge."
        ),
        empty="No model was asked both ways on this level: start a run of a strategy in -constrained, too.",
    )


def _held_by(one: FreeAndHeld, view: View) -> str:
    return "likelihood" if view.benchmark.strategy(one.held.strategy).by_likelihood else "grammar"


def _line(one: FreeAndHeld, view: View) -> tuple[Value, ...]:
    level = view.level.number
    free, held = (side.cells.get("level", {}).get(level, {}) for side in (one.free, one.held))
    shares = (free.get("score"), free.get("unread"), held.get("score"))
    difference = one.difference
    points = (difference.value, difference.interval.low, difference.interval.high) if difference else (None, None, None)
    return (
        difference.n if difference else None,
        *per_cent(*shares, *points),
        None if difference is None else round(difference.p, 4),
    )


ANALYSIS = BoardAnalysis(
    name="constrained",
    title="Form or knowledge?",
    lede="The same models with free replies, and with replies constrained to the options.",
    view=view_of,
    section=constrained_section,
    link=BoardLink(
        "Prompting",
        "Free vs constrained answers",
        lambda view: view.pack is not None and has_strategy(view, lambda one: one.wordings),
    ),
)
