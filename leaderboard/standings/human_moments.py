"""Rows of studies that ask people when it broke: figures of moments, which stand on the page of moments alone."""

import numpy as np

from benchmarks.definitions.registry import BENCHMARKS
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.results.moments import answered_moments
from leaderboard.models import RowKind
from leaderboard.standings.human_rows import cell_of_votes
from leaderboard.standings.item_arrays import facts_of
from leaderboard.standings.moments import ALL, MOMENT, MomentAnswers, moment_figures
from leaderboard.standings.stored_cells import UnstoredStanding


def rows_of_moments(trial: Trial) -> list[UnstoredStanding]:
    """A row for each split with a figure."""
    protocol, benchmark = find_protocol(trial.protocol), BENCHMARKS[trial.pack.benchmark]
    facts, strategy = facts_of(trial.pack), benchmark.strategy(protocol.analysis.strategy)
    answers = []
    for one in answered_moments(trial):
        place = int(facts.places(np.array([one.item_id]))[0])
        if facts.is_askable[place] and not facts.is_hidden[place]:
            answers.append((place, one.answer))
    moments = MomentAnswers(answers, facts, benchmark.level(strategy.level).groups)
    figures = {split: moment_figures(moments, split) for split in benchmark.splits}
    return [_row(trial, strategy.name, split, found) for split, found in figures.items() if found[ALL]]


def _row(trial: Trial, strategy: str, split: str, figures: dict) -> UnstoredStanding:
    return UnstoredStanding(
        split=split,
        kind=RowKind.SIMULATED if trial.is_simulated else RowKind.HUMAN,
        name="Simulated people" if trial.is_simulated else "People",
        strategy=strategy,
        condition=find_protocol(trial.protocol).design.condition,
        identity=f"trial:{trial.slug}",
        overall={**cell_of_votes([]), MOMENT: figures},
        cells={},
    )
