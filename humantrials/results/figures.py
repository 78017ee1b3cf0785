"""What is computed of a trial's answers under each condition; cached as long as the answers are the same."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from benchmarks.gallery.page_cache import cached_value
from humantrials.judging.exclusion_rules import PRIMARY
from humantrials.models import Trial
from humantrials.results.judgments import (
    Agreement,
    GroupResult,
    TrialAnswers,
    agreement,
    answers,
    by_group,
    conditions_of,
    figure_of,
    is_mean,
)
from humantrials.results.release import Wait, has_enough, wait_of
from measures.figures import PeopleFigure


@dataclass(frozen=True)
class Figures:
    """The results on each test, those over all of them, and the agreement between people."""

    groups: list[GroupResult]
    whole: PeopleFigure
    agreed: Agreement | None


@dataclass(frozen=True)
class ConditionSummary:
    """The counted answers under one condition of a trial, and their figures."""

    trial: Trial
    condition: str
    answers: TrialAnswers

    @cached_property
    def figures(self) -> Figures:
        return figures_of(self.trial, self.answers)


def summaries(trial: Trial, exclusion: str = PRIMARY) -> list[ConditionSummary]:
    """A summary under each condition of the trial."""
    return [ConditionSummary(trial, one, answers(trial, one, exclusion)) for one in conditions_of(trial)]


def public_summaries(trial: Trial, exclusion: str = PRIMARY) -> tuple[list[ConditionSummary], Wait | None]:
    """The summaries under this exclusion as anybody may see them, and what they wait for, if they do."""
    if wait := wait_of(trial):
        return [], wait
    parts = summaries(trial, exclusion)
    people = {row.participant_code for part in parts for row in part.answers.rows}
    return parts, Wait.PEOPLE if people and not has_enough(trial, len(people)) else None


def figures_of(trial: Trial, found: TrialAnswers) -> Figures:
    """The figures of these answers of the trial, as cached for the same answers or computed."""
    digest = hashlib.sha256("\n".join(_lines(found)).encode()).hexdigest()
    return cached_value(f"study {trial.pk}", version=digest, make=lambda: _computed(trial, found))


def _lines(found: TrialAnswers) -> Iterator[str]:
    """Lines that change with any judgment that is counted and with any expected answer."""
    yield repr((found.abstained, found.expected, found.labels, [vote.item_id for vote in found.votes]))
    for row in found.rows:
        yield f"{row.item_id} {row.participant_code} {row.answer!r} {row.seconds} {row.confidence}"


def _computed(trial: Trial, found: TrialAnswers) -> Figures:
    whole = figure_of(found, found.scored_rows, found.scored_votes, is_mean=is_mean(trial))
    return Figures(by_group(trial, found), whole, agreement(found))
