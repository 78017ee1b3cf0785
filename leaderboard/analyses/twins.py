"""Accuracy over the twins of a pack, stored with the standings: both of a pair right; each draw is one cluster.

A pair counts only if both items have a public answer and were answered. Chance is 25 % for both, 50 % for each.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack
from benchmarks.packs.item_arrays import ALL, Mask, PackFacts
from benchmarks.packs.twins import are_matched, twins_among
from evaluation.models import Run
from evaluation.runs.tallies import ITEM, scores_of
from humantrials.models import Trial
from leaderboard.board.query import BadAddress, View
from leaderboard.board_analysis import BoardAnalysis, BoardLink, has_strategy
from leaderboard.comparison.answers import against_chance, scored
from leaderboard.comparison.report_section import ReportLine, ReportSection, by_group, per_cent, rows_holding, view_with
from leaderboard.exports.table import Value
from leaderboard.standings.human_rows import HumanItem, judged_items, voted_group
from leaderboard.standings.stored_cells import UnstoredStanding, by_value, rounded
from measures.estimate import figure_of_votes, share_of
from measures.figures import Figure, PeopleFigure

TWINS = "twins"  # of a stored overall cell
KIND = "plausibility"
CHANCE = 25.0  # per cent: both of a pair right
Pair = tuple[int, int]  # item ids, ascending
Found = dict[str, Any]


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    by_split = twins_of_run(run, facts, [row.split for row in rows])
    for row in rows:
        if found := by_split.get(row.split):
            row.overall[TWINS] = found


def add_to_people(trial: Trial, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    for row in rows:
        if found := twins_of_people(trial, row.condition, facts, row.strategy).get(row.split):
            row.overall[TWINS] = found


def twins_of_run(run: Run, facts: PackFacts, splits: Iterable[str]) -> dict[str, Found]:
    """Split -> figures by facet and value; {} if twins are not matched or were not asked about."""
    if not are_matched(run.pack) or not _asks_about_clips(run.pack, run.strategy):
        return {}
    pairs = pairs_of(run.pack, facts)
    values: dict[int, dict[int, float]] = defaultdict(dict)  # item -> seed -> score
    rows = scores_of(run).order_by().values_list(f"{ITEM}_id", "reading__response__cell__seed", "value")
    for item, seed, value in rows.iterator(chunk_size=5000):
        values[item][seed] = value

    def figures(chosen: Sequence[Pair]) -> Found | None:
        answered = [pair for pair in chosen if pair[0] in values and pair[1] in values]
        return _of_models([(values[first], values[second]) for first, second in answered])

    return _by_split(run.pack, run.strategy, facts, pairs, splits, figures)


def twins_of_people(trial: Trial, condition: str, facts: PackFacts, strategy: str) -> dict[str, Found]:
    """The same over the majorities of a study; a tied vote is right with probability 1/2."""
    if not are_matched(trial.pack) or not _asks_about_clips(trial.pack, strategy):
        return {}
    judged = {item.item.pk: item for item in judged_items(trial, condition)}
    pairs = pairs_of(trial.pack, facts)

    def figures(chosen: Sequence[Pair]) -> Found | None:
        answered = [pair for pair in chosen if pair[0] in judged and pair[1] in judged]
        return _of_votes([(judged[first], judged[second]) for first, second in answered])

    return _by_split(trial.pack, strategy, facts, pairs, BENCHMARKS[trial.pack.benchmark].splits, figures)


def pairs_of(pack: Pack, facts: PackFacts) -> list[Pair]:
    """The pairs of the pack whose answers are both public and whose clips can both be shown."""
    items = list(pack.items.filter(kind=KIND).only("key", "kind", "pack"))
    found = {tuple(sorted((one, twin.pk))) for one, twin in twins_among(pack, items).items()}
    counts = facts.is_askable & ~facts.is_hidden
    return sorted((first, second) for first, second in found if counts[facts.places(np.array([first, second]))].all())


def _asks_about_clips(pack: Pack, strategy: str) -> bool:
    named = next((one for one in BENCHMARKS[pack.benchmark].strategies if one.name == strategy), None)
    return named is not None and KIND in named.kinds and not named.is_scored_apart


def _by_split(
    pack: Pack, strategy: str, facts: PackFacts, pairs: Sequence[Pair], splits: Iterable[str], figures: Any
) -> dict[str, Found]:
    benchmark = BENCHMARKS[pack.benchmark]
    groups = benchmark.level(benchmark.strategy(strategy).level).groups
    places = facts.places(np.array(pairs, np.int64).reshape(-1, 2))

    def within(items: Mask) -> Found | None:
        return figures(
            [pair for pair, both in zip(pairs, np.atleast_1d(items[places].all(axis=1)), strict=True) if both]
        )

    by_split = {split: by_value(within, facts, groups, split) for split in splits}
    return {split: figures for split, figures in by_split.items() if figures[ALL]}


def _of_models(answered: Sequence[tuple[Mapping[int, float], Mapping[int, float]]]) -> Found | None:
    """Figures over pairs of scores by seed; a pair's score is the share of seeds with both right."""
    if not answered:
        return None
    shared = [[(one[seed], other[seed]) for seed in one.keys() & other.keys()] for one, other in answered]
    known = [seeds for seeds in shared if seeds]
    both = [sum(one * other for one, other in seeds) / len(seeds) for seeds in known]
    single = [sum(one + other for one, other in seeds) / 2 / len(seeds) for seeds in known]
    if not known:
        return None
    draws = np.arange(len(known))
    of_single = share_of(single, draws, answers=2)  # as two answers a pair: as one, the interval is twice too wide
    return _stored(len(known), share_of(both, draws), of_single)


def _of_votes(answered: Sequence[tuple[HumanItem, HumanItem]]) -> Found | None:
    if not answered:
        return None
    both = [voted_group("all", draw, pair) for draw, pair in enumerate(answered)]
    single = [replace(one.voted, label=draw) for draw, pair in enumerate(answered) for one in pair]
    return _stored(len(answered), figure_of_votes(both), figure_of_votes(single))


def _stored(pairs: int, both: Figure | PeopleFigure, single: Figure | PeopleFigure) -> Found:
    return {"pairs": pairs, "both": _share(both), "single": _share(single)}


def _share(found: Figure | PeopleFigure) -> Found:
    ends = {"score": found.score or 0.0, "low": found.interval.low, "high": found.interval.high}
    return rounded(ends)


def twins_section(view: View) -> ReportSection:
    """A line for each row of the level over all pairs, then by value of the view's facet; the highest share first."""
    rows = [
        ((standing, row), standing.overall[TWINS])
        for standing, row in rows_holding(view, TWINS, view.level.strategies, (view.condition,))
    ]
    rows.sort(key=lambda row: (-row[1][ALL]["both"]["score"], row[0][1].name))
    lines = [
        ReportLine(row, (str(view.benchmark.strategy(standing.strategy).title), title), _figures(found))
        for (standing, row), title, found in by_group(view, rows)
    ]
    return ReportSection(
        badge="twins",
        title="Pair accuracy",
        heads=(
            *("Prompting", view.benchmark.facet(view.group).title),
            *("Pairs", "Pair accuracy, %", "low", "high"),
            *("Single, %", "low", "high"),
        ),
        lines=lines,
        answer=against_chance(scored(lines, (1, 2, 3), "all"), CHANCE),
        note=(
            "Twins are the plausible and the implausible clip of one draw. Pair accuracy: both"
            " right, chance 25 %; single: each of the"
            " two, chance 50 %. Intervals take each pair as one observation."
        ),
        empty="Nobody has answered both clips of a pair here. Only packs made here have matched twins.",
        turned=("Columns",),
    )


def _figures(found: dict[str, Any]) -> tuple[Value, ...]:
    ends = (found[name][part] for name in ("both", "single") for part in ("score", "low", "high"))
    return (found["pairs"], *per_cent(*ends))


def twins_view(benchmark: Benchmark, read: Mapping[str, str]) -> View:
    found = view_with(benchmark, read, lambda one: one.with_twin)
    if not any(benchmark.strategy(name).with_twin for name in found.level.strategies):
        raise BadAddress(f"{benchmark.title}, level {found.level.number}, has no twins")
    return found


ANALYSIS = BoardAnalysis(
    name="twins",
    title="Pair accuracy",
    lede="The same scene with and without a violation: who is right about both?",
    view=twins_view,
    section=twins_section,
    key=TWINS,
    of_run=add_to_run,
    of_people=add_to_people,
    link=BoardLink(
        "Confidence", "Pair accuracy", lambda view: has_strategy(view, lambda one: one.with_twin), ("pack",)
    ),
)
