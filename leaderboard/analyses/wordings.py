"""The spread of accuracy over wordings and orders of options."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.definitions.wordings import PromptWording
from benchmarks.packs.item_arrays import PackFacts
from evaluation.models import Run, RunKind
from evaluation.runs import tallies
from leaderboard.board.board_row import BoardRow
from leaderboard.board.query import View, view_of
from leaderboard.board_analysis import BoardAnalysis, BoardLink, has_strategy
from leaderboard.charts.chart import MOST, PER_CENT, UPWARDS, Axis, Chart, Point, Trace
from leaderboard.comparison.answers import depends, scored
from leaderboard.comparison.report_section import ReportLine, ReportSection, per_cent, rows_of_level
from leaderboard.exports.table import Table, Value
from leaderboard.standings.stored_cells import UnstoredStanding, rounded
from measures.estimate import wording_spread

WORDINGS = "wordings"  # of a stored overall cell


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    for row in rows:
        if found := wordings_on(run, facts, row.split):
            row.overall[WORDINGS] = found


def spread(figures: Mapping[str, Any]) -> str:
    """`5 wordings: 48.0 to 61.0 %`."""
    scores = [100 * one["score"] for one in figures["each"]]
    return f"{len(scores)} wordings: {min(scores):.1f} to {max(scores):.1f} %"


def wordings_of(run: Run) -> tuple[PromptWording, ...]:
    """The wordings of the run's questions; () if there is only one."""
    benchmark = BENCHMARKS.get(run.pack.benchmark)
    known = (
        {strategy.name: strategy.wordings for strategy in benchmark.strategies}
        if benchmark and run.kind == RunKind.RUN
        else {}
    )
    all_of_them = known.get(run.strategy, ())
    return tuple(all_of_them[seed] for seed in run.seeds if seed < len(all_of_them))


def wordings_on(run: Run, facts: PackFacts, split: str) -> dict[str, Any] | None:
    """Figures on the public items of this split that were answered in all wordings; None with a single wording."""
    wordings = wordings_of(run)
    if len(wordings) < 2:
        return None
    scores = tallies.scores_in_split(run, split).on_public_items()
    table: dict[int, dict[int, float]] = defaultdict(dict)
    for item, seed, value in scores.order_by().values_list(
        f"{tallies.ITEM}_id", "reading__response__cell__seed", "value"
    ):
        table[item][seed] = value
    whole = {item: [found[seed] for seed in run.seeds] for item, found in table.items() if len(found) == len(run.seeds)}
    if not whole:
        return None
    clusters = facts.clusters[facts.places(np.array([*whole], np.int64))]
    found = wording_spread([*whole.values()], clusters.tolist())
    named = [
        {"name": wording.name, "what": wording.what, "ours": wording.ours, "score": score}
        for wording, score in zip(wordings, found.scores, strict=True)
    ]
    ends = {"low": None, "high": None} if found.interval is None else asdict(found.interval)
    seen = {"seen": found.seen, "chance": found.chance, "own": found.own}
    return rounded({"n": len(whole), "each": named, **seen, **ends})


Found = list[tuple[BoardRow, str, dict[str, Any]]]  # row, title of the strategy, figures


def rows_by_wording(view: View) -> Found:
    """The rows of the level that were asked in several wordings, the widest spread first."""
    found = [
        (row, view.benchmark.strategy(run.strategy).title, figures)
        for row, run, figures in rows_of_level(view, WORDINGS)
    ]
    return sorted(found, key=lambda one: -one[2]["own"])


def wording_section(view: View) -> ReportSection:
    found = rows_by_wording(view)
    lines = [ReportLine(row, (str(title),), _line(figures)) for row, title, figures in found]
    return ReportSection(
        badge="wordings",
        title="Sensitivity to wording",
        heads=(
            "Prompting",
            *("n", "Wordings", "Mean, %", "Lowest, %", "Highest, %"),
            *("Standard deviation, points", "by chance alone", "of the wording", "low", "high"),
        ),
        lines=lines,
        answer=depends(scored(lines, (7, 8, 9)), "the wording"),
        note=(
            "Each question in all wordings, the options in different orders among them. Accuracies also differ by"
            " chance: the effect of the wording is the remainder, with its 95 % interval. If that contains 0, no"
            " effect of wording is shown."
        ),
        empty="No model was asked in several wordings on this level: start a run with a strategy in -wordings.",
        charts=(wordings_chart(found),) if found else (),
    )


def _line(figures: dict[str, Any]) -> tuple[Value, ...]:
    scores = [one["score"] for one in figures["each"]]
    shares = (sum(scores) / len(scores), min(scores), max(scores))
    deviations = (figures[name] for name in ("seen", "chance", "own", "low", "high"))
    return (figures["n"], len(scores), *per_cent(*shares, *deviations))


def wordings_chart(found: Found) -> Chart:
    """The accuracy of the first models in each wording; wordings from papers come first."""
    names = list(dict.fromkeys(one["name"] for _row, _title, figures in found for one in figures["each"]))
    ours = {one["name"] for _row, _title, figures in found for one in figures["each"] if one["ours"]}
    titles = [f"{name} (ours)" if name in ours else name for name in names]
    traces, body = [], []
    for row, title, figures in found:
        scores = {one["name"]: 100 * one["score"] for one in figures["each"]}
        points = [Point(names.index(name), value, f"{name} {value:.1f} %") for name, value in scores.items()]
        traces.append(Trace(f"{row.name}, {title}", tuple(points)))
        body.append((row.name, str(title), *(round(scores[name], 1) if name in scores else None for name in names)))
    title = "Accuracy by wording"
    return Chart(
        title=title,
        form=UPWARDS,
        x=Axis("", -0.4, max(0, len(names) - 1) + 0.4, tuple(enumerate(map(str, range(1, len(names) + 1))))),
        y=Axis("Accuracy in per cent", 0, 100, PER_CENT),
        traces=tuple(traces[:MOST]),
        table=Table(title, ("Model or group", "Prompting", *titles), tuple(body)),
        note="; ".join(f"{number}: {name}" for number, name in enumerate(titles, start=1)) + ".",
        has_lines=True,
    )


ANALYSIS = BoardAnalysis(
    name="wordings",
    title="How much does the wording matter?",
    lede="The same questions in several wordings, with the options in different orders.",
    view=view_of,
    section=wording_section,
    key=WORDINGS,
    of_run=add_to_run,
    note=spread,
    link=BoardLink(
        "Prompting",
        "Sensitivity to wording",
        lambda view: view.pack is not None and has_strategy(view, lambda one: one.wordings),
    ),
)
