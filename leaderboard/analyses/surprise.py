"""The surprise of prediction models (measures/detection/surprise.py): figures over pairs of clips, curves at one item.

Only clips with a public answer count, in pairs of twins: the same scene, possible and impossible.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Item
from benchmarks.packs.item_arrays import ALL, Mask, PackFacts
from evaluation.models import ModelResponse, Run
from evaluation.parsing.numeric_replies import surprises_in
from evaluation.prompting.strategies import find_strategy
from humantrials.models import Trial
from humantrials.results.moments import presses_at
from leaderboard.analyses.reported_surprises import REPORTED
from leaderboard.board.query import View
from leaderboard.board_analysis import BoardAnalysis, BoardLink, has_strategy
from leaderboard.charts.chart import FREE, MOST, Axis, Chart, Point, Trace
from leaderboard.comparison.answers import against_chance, scored
from leaderboard.comparison.report_section import ReportLine, ReportSection, by_group, per_cent, rows_apart, view_apart
from leaderboard.exports.table import Table, Value
from leaderboard.items.item_detail import BY_SURPRISE, listed_runs
from leaderboard.standings.stored_cells import StoredCell, UnstoredStanding, by_value, rounded
from measures.estimate import figures_of_pairs
from measures.scores.clip_surprise import ClipSurprise, NotSurprises, of_clip, paired

SURPRISE = "surprise"  # of a stored overall cell


@dataclass(frozen=True)
class RunSurprises:
    """The surprises of a run by key of the item, with the twin, the truth and the place in the pack of each."""

    clips: dict[str, ClipSurprise]
    twins: dict[str, str]
    possible: dict[str, bool]
    places: dict[str, int]
    groups: tuple[str, ...]  # facets

    def figures(self, items: Mask) -> StoredCell | None:
        """The figures over the pairs among these items; None without a pair."""
        within = {key: clip for key, clip in self.clips.items() if items[self.places[key]]}
        found = figures_of_pairs(paired(within, self.twins, self.possible))
        return rounded(asdict(found)) if found else None


def surprises_of(run: Run, facts: PackFacts) -> RunSurprises | None:
    """The surprises of this run, the mean over its seeds; None, without a query, if its strategy gives none."""
    strategy = find_strategy(run.pack.benchmark, run.strategy)
    if strategy is None or not strategy.by_surprise:
        return None
    benchmark = find_benchmark(run.pack.benchmark)
    rows = with_expected(run.pack.items.all(), to=SCORER).values_list("pk", "key", "expected")
    known = {pk: (key, expected == "yes") for pk, key, expected in rows if expected is not None}
    surprises: dict[str, list[ClipSurprise]] = {}
    places: dict[str, int] = {}
    for item, raw in ModelResponse.objects.filter(cell__run=run).order_by("pk").values_list("cell__item_id", "raw"):
        place = int(facts.places(np.array([item]))[0])
        if item in known and facts.is_askable[place] and not facts.is_hidden[place] and (clip := _clip(raw)):
            surprises.setdefault(known[item][0], []).append(clip)
            places[known[item][0]] = place
    return RunSurprises(
        clips={key: _mean(found) for key, found in surprises.items()},
        twins={key: benchmark.twin_key(key) for key in surprises} if benchmark.twin_key else {},
        possible=dict(known.values()),
        places=places,
        groups=benchmark.level(strategy.level).groups,
    )


def _clip(raw: str) -> ClipSurprise | None:
    try:
        return of_clip(surprises_in(raw)[0])
    except NotSurprises:
        return None


def _mean(found: list[ClipSurprise]) -> ClipSurprise:
    return ClipSurprise(float(np.mean([one.mean for one in found])), float(np.mean([one.most for one in found])))


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    """Add the figures on each row's split: over all pairs, and by each value of the level's facets."""
    if found := surprises_of(run, facts):
        for row in rows:
            row.overall[SURPRISE] = by_value(found.figures, facts, found.groups, row.split)


SHARES = ("relative_most", "absolute_most", "area_mean", "area_most", "precision_mean", "precision_most")


def surprise_section(view: View) -> ReportSection:
    """A line for each run over all pairs, then by value of the view's facet; the highest relative accuracy first."""
    rows = sorted(rows_apart(view, SURPRISE), key=lambda one: (-one[1][ALL]["relative_mean"], one[0].name))
    lines = [ReportLine(row, (title,), _figures(found)) for row, title, found in by_group(view, rows)]
    return ReportSection(
        badge="surprises",
        title="Surprise",
        heads=(
            view.benchmark.facet(view.group).title,
            *("Pairs", "Relative accuracy, mean, %", "low", "high"),
            *("Relative accuracy, maximum, %", "Absolute accuracy, maximum, %"),
            *("AUROC, mean, %", "AUROC, maximum, %", "AUPRC, mean, %", "AUPRC, maximum, %"),
        ),
        lines=lines,
        answer=against_chance(scored(lines, (1, 2, 3), "all"), 50),
        note=(
            "A pair is right where the possible clip surprises less than its impossible twin, by the mean or the"
            " maximum over its windows; ties are wrong. Chance: 50 %. Twins of the official clips"
            " share test and number alone. LikePhys’ plausibility preference error is 100 % minus the relative"
            " accuracy, ties apart."
        ),
        empty="No prediction model has been asked here yet.",
        turned=("Columns",),
        reported=REPORTED.get(view.benchmark.slug, ()),
    )


def _figures(found: dict[str, Any]) -> tuple[Value, ...]:
    ends = found["relative_mean_interval"]
    shares = (found["relative_mean"], ends["low"], ends["high"], *(found[name] for name in SHARES))
    return (found["pairs"], *per_cent(*shares))


Curve = tuple[str, Sequence[float], Sequence[float]]  # a name, the seconds, the surprises
BIN = 0.5  # seconds
TICKS = ((0.0, "0"), (0.5, ""), (1.0, "1"))


def press_curve(name: str, presses: Sequence[float], seconds: float) -> Curve:
    """The number of presses in each half second of the clip, placed at its middle."""
    edges = np.arange(0, seconds + BIN, BIN)
    counts = np.histogram(np.clip(presses, 0, seconds), edges)[0]
    return name, [float(edge) + BIN / 2 for edge in edges[:-1]], [float(count) for count in counts]


def surprise_chart(curves: Sequence[Curve], seconds: float, marks: Sequence[tuple[str, float]] = ()) -> Chart:
    """The curves as shares of their largest value; `marks` are vertical lines, such as the moment of a violation."""
    displayed = curves[:MOST]
    end = max([seconds, *(times[-1] for _name, times, _values in displayed)])
    rows = tuple(
        (name, round(time, 2), round(value, 4))
        for name, times, values in displayed
        for time, value in zip(times, values, strict=True)
    )
    title = "Surprise over time"
    lines = tuple(
        Trace(name, (Point(at, 0.0, f"{at:.2f} s"), Point(at, 1.0, f"{at:.2f} s")), is_hollow=True)
        for name, at in marks
    )
    return Chart(
        title=title,
        form=FREE,
        x=Axis("Seconds", 0, end, tuple((float(second), str(second)) for second in range(0, ceil(end) + 1, 2))),
        y=Axis("Surprise, share of its maximum", 0, 1, TICKS),
        traces=(*(Trace(name, _points(times, values)) for name, times, values in displayed), *lines),
        table=Table(title, ("Model or group", "Seconds", "Surprise"), rows),
        note=(
            "Each curve is divided by its own maximum: the numbers of two models have no common scale. Presses are"
            " counted in half seconds."
        ),
        has_lines=True,
        has_points=False,
    )


def _points(times: Sequence[float], values: Sequence[float]) -> tuple[Point, ...]:
    low, high = min(0.0, *values), max(values)
    width = high - low or 1.0
    return tuple(
        Point(time, (value - low) / width, f"{time:.2f} s: {value:.4g}")
        for time, value in zip(times, values, strict=True)
    )


def chart_at(item: Item, trials: Collection[Trial], marks_violation: bool) -> Chart | None:
    """Curves of prediction models and of people's presses; the violation is marked once the answer is requested."""
    if item.clip is None:
        return None
    curves = [*presses_of(item, trials), *curves_at(item)]
    if not curves:
        return None
    violation = item.clip.facts.get("first_violation") if marks_violation else None
    marks = [("Physics is broken", float(violation["seconds"]))] if violation else []
    return surprise_chart(curves, item.clip.seconds, marks)


def presses_of(item: Item, trials: Collection[Trial]) -> list[Curve]:
    """A curve of people and one of simulated people, if any pressed in a study that may be read."""
    if item.kind != "plausibility" or item.clip is None:
        return []
    named = (("People's presses", False), ("Simulated people's presses", True))
    found = ((name, presses_at(item, trials, is_simulated=is_simulated)) for name, is_simulated in named)
    return [press_curve(name, presses, item.clip.seconds) for name, presses in found if presses]


def curves_at(item: Item) -> list[tuple[str, list[float], list[float]]]:
    """Name, seconds and surprises of each run's first seed; windows without times are spread evenly."""
    if item.kind != "plausibility":
        return []
    found = ModelResponse.objects.filter(cell__item=item, cell__run__in=listed_runs(item))
    found = found.filter(cell__run__strategy__in=BY_SURPRISE).select_related("cell__run__model")
    seconds = item.clip.seconds if item.clip else 0.0
    curves: dict[int, tuple[str, list[float], list[float]]] = {}
    for response in found.order_by("cell__run_id", "cell__seed")[: 4 * MOST]:
        try:
            values, times = surprises_in(response.raw)
        except NotSurprises:
            continue
        times = times or [seconds * (place + 1) / len(values) for place in range(len(values))]
        curves.setdefault(response.cell.run_id, (response.cell.run.model.name, times, values))
    return list(curves.values())[:MOST]


ANALYSIS = BoardAnalysis(
    name="surprise",
    title="What surprises a model?",
    lede="Models that predict what comes next and answer no question: are they more surprised by what cannot be?",
    view=partial(view_apart, wanted=lambda one: one.by_surprise),
    section=surprise_section,
    key=SURPRISE,
    of_run=add_to_run,
    chart_at_item=chart_at,
    link=BoardLink(
        "Confidence",
        "Surprise of prediction models",
        lambda view: has_strategy(view, lambda one: one.by_surprise),
        ("pack",),
    ),
)
