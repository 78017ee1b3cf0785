"""Figures of moments of a run (measures/detection/moments.py), stored with its standings: overall, by test and concept.

Only clips with a public answer count: possible ones, and impossible ones with a known moment from their trajectory.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.packs.item_arrays import ALL, Mask, PackFacts
from benchmarks.packs.truth.telling_frames import window_of
from evaluation.models import Reading, Run
from evaluation.prompting.strategies import STRATEGIES
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.results.moments import answered_moments, asks_for_moments
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
    if run.strategy not in STRATEGIES or not STRATEGIES[run.strategy].by_moment or run.pack.benchmark not in BENCHMARKS:
        return None
    readings = Reading.objects.filter(response__cell__run=run, parser=run.parser, version=run.parser_version).order_by(
        "pk"
    )
    known = with_expected(readings, to=SCORER, item="response__cell__item")
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
    for one in answered_moments(trial):
        place = int(facts.places(np.array([one.item_id]))[0])
        if facts.is_askable[place] and not facts.is_hidden[place]:
            answers.append((place, one.answer))
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
