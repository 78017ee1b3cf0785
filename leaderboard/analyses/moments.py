"""The second at which models and people name a violation (measures/detection/moments.py).

Only clips with a public answer count: possible ones, and impossible ones with a known moment from their trajectory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import F
from rest_framework import serializers

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Item
from benchmarks.packs.item_arrays import ALL, Mask, PackFacts
from benchmarks.packs.truth.telling_frames import window_of
from evaluation.models import Reading, Run
from evaluation.prompting.strategies import STRATEGIES, find_strategy
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.results.moments import answered_moments, asks_for_moments
from humantrials.results.release import may_show_people
from leaderboard.board.query import View
from leaderboard.board_analysis import BoardAnalysis, BoardLink, ItemLines, has_strategy
from leaderboard.comparison.answers import between_models, scored
from leaderboard.comparison.report_section import ReportLine, ReportSection, by_group, per_cent, rows_apart, view_apart
from leaderboard.exports.table import Value
from leaderboard.items.item_detail import listed_runs
from leaderboard.standings.stored_cells import StoredCell, UnstoredStanding, by_value, rounded
from measures.estimate import figures_of_moments
from measures.scores.moment_answers import MomentAnswer, moment_in

MOMENT = "moment"  # of a stored overall cell
COLUMNS = ("item_id", "item__media__clip_id", "item__media__clip__facts")


@dataclass(frozen=True)
class MomentAnswers:
    """The answers of one row, each with the place of its item in the pack."""

    answers: list[tuple[int, MomentAnswer]]
    groups: tuple[str, ...]  # facets

    def figures(self, items: Mask) -> StoredCell | None:
        """The figures over the answers to these items; None without any."""
        found = figures_of_moments([answer for place, answer in self.answers if items[place]])
        return rounded(asdict(found)) if found else None


def moments_of(run: Run, facts: PackFacts) -> MomentAnswers | None:
    """The moments that the run's parser read; None, without a query, if its strategy asks for none."""
    strategy = find_strategy(run.pack.benchmark, run.strategy)
    if strategy is None or not strategy.by_moment:
        return None
    readings = Reading.objects.filter(response__cell__run=run, parser=run.parser, version=run.parser_version)
    known = with_expected(readings.order_by("pk"), to=SCORER, item="response__cell__item")
    columns = [f"response__cell__{column}" for column in COLUMNS]
    return answers_in(
        run.pack.benchmark, run.strategy, facts, known.values_list("answer", columns[0], "expected", *columns[1:])
    )


def answers_in(slug: str, strategy: str, facts: PackFacts, rows: Iterable[tuple[Any, ...]]) -> MomentAnswers:
    """Rows of answer, item, expected answer, clip and its facts, as moments."""
    benchmark, answers = BENCHMARKS[slug], []
    for answer, item, expected, clip, telltale in rows:
        place = int(facts.places(np.array([item]))[0])
        window = window_of(telltale or {}) if expected == "no" else None
        is_known = expected == "yes" or window is not None
        if not is_known or facts.is_hidden[place] or not facts.is_askable[place]:
            continue
        read = moment_in(answer)
        seconds = None if read is None or not read[0].isdigit() else float(read)
        answers.append((place, MomentAnswer(seconds, window, clip, read is not None)))
    return MomentAnswers(answers, benchmark.level(benchmark.strategy(strategy).level).groups)


def moments_of_people(trial: Trial, facts: PackFacts) -> MomentAnswers | None:
    """The moments that people of this study named; None if it does not ask for them."""
    if not asks_for_moments(trial):
        return None
    benchmark, answers = BENCHMARKS[trial.pack.benchmark], []
    for moment in answered_moments(trial):
        place = int(facts.places(np.array([moment.item_id]))[0])
        if facts.is_askable[place] and not facts.is_hidden[place]:
            answers.append((place, moment.answer))
    level = benchmark.strategy(find_protocol(trial.protocol).analysis.strategy).level
    return MomentAnswers(answers, benchmark.level(level).groups)


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    """Add the figures on each row's split: over all clips, and by each value of the level's facets."""
    if found := moments_of(run, facts):
        for row in rows:
            row.overall[MOMENT] = by_value(found.figures, facts, found.groups, row.split)


def add_to_people(trial: Trial, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    if found := moments_of_people(trial, facts):
        for row in rows:
            figures = by_value(found.figures, facts, found.groups, row.split)
            if figures[ALL]:
                row.overall[MOMENT] = figures


def moment_section(view: View) -> ReportSection:
    """A line for each row over all clips, then by value of the view's facet; the most hits first."""
    rows = sorted(rows_apart(view, MOMENT), key=lambda one: (-(one[1][ALL]["hits"] or 0.0), one[0].name))
    lines = [ReportLine(row, (title,), _figures(found)) for row, title, found in by_group(view, rows)]
    return ReportSection(
        badge="moments",
        title="Detecting the violation",
        heads=(
            view.benchmark.facet(view.group).title,
            *("Clips", "Hits, %", "low", "high"),
            *("False alarms, %", "low", "high", "d′", "Criterion"),
            *("Median error, s", "Mean lag, s", "low", "high"),
            *("First press, s", "low", "high", "Unparsed, %"),
        ),
        lines=lines,
        answer=between_models(scored(lines, (1, 2, 3), "all"), "Violations found within half a second"),
        note=(
            "A hit names a second within half a second of the stretch from the violation to the moment at which a"
            " viewer can know. A false alarm names one in a possible clip. The error counts from the knowable"
            " moment; a negative lag is before anybody could know. First press: the mean lag of people's first"
            " presses."
        ),
        empty="Nobody has been asked for moments here yet.",
        turned=("Columns",),
    )


def _figures(found: dict[str, Any]) -> tuple[Value, ...]:
    return (
        *(found["n"], *_share(found, "hits"), *_share(found, "alarms")),
        *(_rounded(found[name]) for name in ("d_prime", "criterion", "error")),
        *_mean(found, "lead"),
        *_mean(found, "press"),
        round(100 * found["unread"], 1),
    )


def _share(found: dict[str, Any], name: str) -> tuple[Value, ...]:
    if found[name] is None:
        return (None, None, None)
    ends = found[f"{name}_interval"]
    return per_cent(found[name], ends["low"], ends["high"])


def _mean(found: dict[str, Any], name: str) -> tuple[Value, ...]:
    """The mean with its interval, which few clips or people have not."""
    ends = found[f"{name}_interval"] or {}
    return tuple(_rounded(one) for one in (found[name], ends.get("low"), ends.get("high")))


def _rounded(value: float | None) -> Value:
    return None if value is None else round(value, 2) + 0.0


BY_MOMENT = [name for name, strategy in STRATEGIES.items() if strategy.by_moment]


@dataclass(frozen=True)
class ItemMoments:
    """The answers of one row; `presses` are people's first ones."""

    row: str  # key of the row
    simulated: bool
    seconds: tuple[float, ...]  # of answers that name a moment, ascending
    nothing: int
    unread: int
    presses: tuple[float, ...] = ()


def moments_at(item: Item) -> list[ItemMoments]:
    """A line for each study whose results are shown, then for each run on the board, that names moments."""
    if item.kind != "plausibility":
        return []
    return [*_of_people(item), *_of_models(item)]


def _of_people(item: Item) -> Iterator[ItemMoments]:
    judgments = Judgment.objects.filter(item=item, counts=True).order_by().values("trial")
    for trial in Trial.objects.filter(pk__in=judgments).order_by("is_simulated", "pk"):
        if not (asks_for_moments(trial) and may_show_people(trial)):
            continue
        found = [moment.answer for moment in answered_moments(trial, items=[item.pk])]
        seconds = sorted(one.seconds for one in found if one.seconds is not None)
        presses = sorted(max(0.0, one.press) for one in found if one.press is not None)
        nothing = len(found) - len(seconds)
        yield ItemMoments(f"trial-{trial.slug}", trial.is_simulated, tuple(seconds), nothing, 0, tuple(presses))


def _of_models(item: Item) -> Iterator[ItemMoments]:
    """One line for each run over its seeds, from the readings of its own parser."""
    run, runs = "response__cell__run", listed_runs(item).filter(strategy__in=BY_MOMENT)
    read = Reading.objects.filter(response__cell__item=item, response__cell__run__in=runs)
    read = read.filter(parser=F(f"{run}__parser"), version=F(f"{run}__parser_version")).order_by(run, "pk")
    for pk, rows in groupby(read.values_list(run, "answer"), key=itemgetter(0)):
        answers = [answer for _run, answer in rows]
        seconds = sorted(float(one) for one in answers if one[:1].isdigit())
        unread = answers.count("")
        yield ItemMoments(f"run-{pk}", False, tuple(seconds), len(answers) - len(seconds) - unread, unread)


class ItemMomentsSerializer(serializers.Serializer):
    """The seconds that one row names for the violation in the item's clip."""

    row = serializers.CharField()
    simulated = serializers.BooleanField()
    seconds = serializers.ListField(child=serializers.FloatField())
    nothing = serializers.IntegerField()
    unread = serializers.IntegerField()
    presses = serializers.ListField(child=serializers.FloatField(), help_text="people's first ones")


ANALYSIS = BoardAnalysis(
    name="moments",
    title="Detecting the violation",
    lede="The second at which one can first know that something impossible happened, or nothing.",
    view=partial(view_apart, wanted=lambda one: one.by_moment),
    section=moment_section,
    key=MOMENT,
    of_run=add_to_run,
    of_people=add_to_people,
    lines_at_item=ItemLines(moments_at, ItemMomentsSerializer),
    link=BoardLink(
        "Confidence", "Detecting the violation", lambda view: has_strategy(view, lambda one: one.by_moment), ("pack",)
    ),
)
