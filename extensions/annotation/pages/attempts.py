"""Texts about a qualification round: its rule in numbers, and why the previous attempt failed."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from extensions.annotation.models import QualificationRound, RoundState, Stage
from extensions.annotation.pages.qualification import (
    ATTEMPTS,
    DIFFERENT_PROPERTIES,
    MEAN_GRADE,
    NextRound,
    failed_before,
    lines_for,
    properties_wanted,
    right_wanted,
    rounds_of,
)
from extensions.annotation.work.round_answers import RoundAnswer, answers_of
from humantrials.models import Participant


@dataclass(frozen=True)
class FailedAttempt:
    """A failed attempt: why it failed, what staff wrote about it, and the person's own answers."""

    why: str
    feedback: str
    answers: list[RoundAnswer]


def rule_of(next_round: NextRound, pairs: int, questions: int) -> str:
    """The rule for passing the round, with its numbers."""
    if next_round.stage == Stage.QUESTIONS:
        rule = _("Somebody reads them and gives each 1 to 4 points; 3 on average let you in.")
        return f"{rule} {DIFFERENT_PROPERTIES % {'count': properties_wanted(pairs)}}"
    if next_round.is_graded_by_staff:
        return _("Somebody reads your reasons and gives each 1 to 4 points; 3 on average let you in.")
    numbers = {"needed": right_wanted(questions), "count": questions}
    return _("%(needed)s right answers of %(count)s let you in.") % numbers


def failed_attempt(person: Participant, next_round: NextRound) -> FailedAttempt | None:
    """The failed first attempt at the round that the person has to pass now, or None.

    Questions that are asked again don't reveal whether an answer was right.
    """
    one = failed_before(person, next_round)
    again = [question.pk for _pair, own in lines_for(person.trial, next_round) for _, question in own if question]
    return FailedAttempt(why_of(one), one.feedback, answers_of(one, again)) if one else None


def last_failure(person: Participant) -> FailedAttempt | None:
    """The attempt after which the person was not let in, or None."""
    failed = [one for one in rounds_of(person) if one.state == RoundState.FAILED and one.attempt >= ATTEMPTS]
    return FailedAttempt(why_of(failed[-1]), failed[-1].feedback, answers_of(failed[-1])) if failed else None


def why_of(one: QualificationRound) -> str:
    """The failed attempt's result, and the result that was needed."""
    if one.grades:
        numbers: dict[str, object] = {"mean": f"{one.score:.1f}", "needed": f"{MEAN_GRADE:.0f}"}
        return _("It got %(mean)s points on average; %(needed)s are needed.") % numbers
    count = len(one.content.get("answers", ()))
    numbers = {"right": round((one.score or 0) * count), "count": count, "needed": right_wanted(count)}
    return _("%(right)s answers of %(count)s were right; %(needed)s are needed.") % numbers
