"""Qualification for a stage: graded rounds, each with one second attempt. Sections 6.3 and 6.4.

Writers write a question for each of three pairs, with three properties in all. A member of staff grades each question
from 1 to 4; a mean of 3 qualifies. Answerers first answer questions about two pairs and need a share of agreement with
the writers. Then they give a reason for each of ten answers, which a member of staff grades. The paper's share is
unknown; we use 80 %.
"""

import math
from collections.abc import Sequence
from statistics import mean
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Q
from django.db.models.functions import Now
from django.template.defaultfilters import pluralize
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from extensions.annotation.models import (
    AnnotationPair,
    QualificationRound,
    QuestionState,
    RoundState,
    Stage,
    WrittenQuestion,
)
from extensions.annotation.protocol.pairs import QUESTIONS_A_PAIR
from extensions.annotation.protocol.stages import facts_of
from extensions.annotation.protocol.vocabulary import GRADES
from extensions.annotation.work.answer_comparison import answers_of
from extensions.annotation.work.form_parsing import BadWork, Sent, read_answers, read_questions
from extensions.annotation.work.sittings import first_of, sittings_after, sittings_of, stage_of
from humantrials.assignment.exits import ROUND, give_code, screen_out
from humantrials.assignment.prepared_queries import ONE, PreparedQuery
from humantrials.assignment.sheets import locked, make_open
from humantrials.errors import BadAnswer
from humantrials.models import Participant, Sheet, SheetEventKind

PAIRS_TO_WRITE: Final = 3
PROPERTIES_WANTED: Final = 3
PAIRS_TO_ANSWER: Final = 2
QUESTIONS_WITH_REASONS: Final = 10
MEAN_GRADE: Final = 3.0
SHARE_RIGHT: Final = 0.8  # ours: the paper's own is unknown
ATTEMPTS: Final = 2
DIFFERENT_PROPERTIES: Final = gettext_lazy("The questions need at least %(count)s different properties altogether.")
LAST_ROUND: Final = {Stage.QUESTIONS: 1, Stage.ANSWERS: 2}


def is_graded_by_staff(one: QualificationRound) -> bool:
    return one.stage == Stage.QUESTIONS or one.number == LAST_ROUND[Stage.ANSWERS]


def properties_wanted(pairs: int) -> int:
    """The number of different properties that a writers' round about so many pairs must name."""
    return min(PROPERTIES_WANTED, pairs)


def right_wanted(questions: int) -> int:
    """The number of right answers that pass a round of so many questions with known answers."""
    return math.ceil(SHARE_RIGHT * questions - 1e-9)


ROUNDS = PreparedQuery(lambda: QualificationRound.objects.filter(participant__in=sittings_after(ONE)), ONE)


def rounds_of(person: Participant) -> list[QualificationRound]:
    return ROUNDS.models(first_of(person))


def awaited(person: Participant) -> QualificationRound | None:
    """The round that was sent but is not graded yet."""
    return next((one for one in rounds_of(person) if one.state == RoundState.WAITING), None)


def failed_before(person: Participant, next_round: QualificationRound) -> QualificationRound | None:
    """The first attempt at this round, if it failed."""
    same = [one for one in rounds_of(person) if (one.stage, one.number) == (next_round.stage, next_round.number)]
    return next((one for one in reversed(same) if one.state == RoundState.FAILED), None)


def is_qualified(person: Participant, stage: str) -> bool:
    """Whether the person passed the last round that qualifies for the stage, or the stage needs no qualification."""
    wanted = facts_of(stage).qualifies
    if not wanted or not person.trial.settings.get("qualification", True):
        return True
    return any(
        one.state == RoundState.PASSED and one.stage in wanted and one.number == LAST_ROUND[Stage(one.stage)]
        for one in rounds_of(person)
    )


def round_for(person: Participant) -> QualificationRound | None:
    """The round to pass before the sheet, not stored yet; None if none is needed, or no pair is available for it."""
    stage = stage_of(person.sheet)
    if not stage or is_qualified(person, stage):
        return None
    own = facts_of(stage).qualifies[-1]
    rounds = [one for one in rounds_of(person) if one.stage == own]
    number = 1 + max((one.number for one in rounds if one.state == RoundState.PASSED), default=0)
    failed = sum(one.number == number and one.state == RoundState.FAILED for one in rounds)
    next_round = QualificationRound(
        trial=person.trial, participant_id=first_of(person), stage=own, number=number, attempt=failed + 1
    )
    return next_round if pairs_for(next_round) else None


def pairs_for(next_round: QualificationRound) -> list[AnnotationPair]:
    """The pairs of a round: writers' pairs first; for answerers the pairs with the most accepted questions."""
    pairs = next_round.trial.pairs.select_related("first__clip", "second__clip")
    if next_round.stage == Stage.QUESTIONS:
        start = PAIRS_TO_WRITE * (next_round.attempt - 1)
        own = list(pairs.order_by("-is_for_writers", "number"))
        return (own[start:] + own[:start])[:PAIRS_TO_WRITE]
    good = Count("questions_written", filter=Q(questions_written__state=QuestionState.ACCEPTED))
    ranked: list[AnnotationPair] = [*pairs.annotate(good=good).filter(good__gt=0).order_by("-good", "number")]
    if next_round.number != 1:
        return ranked[PAIRS_TO_ANSWER:][:1] or ranked[:1]
    start = PAIRS_TO_ANSWER * (next_round.attempt - 1)  # other pairs for the second attempt, where there are any
    return (ranked[start:] + ranked[:start])[:PAIRS_TO_ANSWER]


def questions_of(next_round: QualificationRound, pair: AnnotationPair) -> list[WrittenQuestion]:
    most = QUESTIONS_A_PAIR if next_round.number == 1 else QUESTIONS_WITH_REASONS
    return list(pair.questions_written.filter(state=QuestionState.ACCEPTED)[:most])


def lines_for(next_round: QualificationRound) -> list[tuple[AnnotationPair, list[tuple[int, WrittenQuestion | None]]]]:
    """The round's pairs with their lines, numbered across all pairs; the line of a writer has no question."""
    place, found = 0, []
    for pair in pairs_for(next_round):
        own = questions_of(next_round, pair) if next_round.stage == Stage.ANSWERS else [None]
        found.append((pair, list(enumerate(own, start=place))))
        place += len(own)
    return found


@transaction.atomic
def send_round(*, participant: Participant, sent: Sent) -> Participant:
    """Read and store a round. The sheet is given back while staff grade; a second failure screens the person out."""
    person = locked(participant)
    next_round = round_for(person)
    if next_round is None:
        raise BadAnswer("no round is expected from you")
    next_round.content, score = _read(next_round, sent)
    next_round.save()
    if is_graded_by_staff(next_round):
        _give_back(person)
        give_code(person, ROUND)  # somebody who waits for grades may leave with a code for the work so far
    else:
        _close(next_round, score=score, passes=score >= SHARE_RIGHT)
    person.refresh_from_db()
    return person


def _read(next_round: QualificationRound, sent: Sent) -> tuple[dict[str, Any], float]:
    """The round's content, and the share of correct answers where no staff grade is needed."""
    lines = lines_for(next_round)
    if next_round.stage == Stage.QUESTIONS:
        return _read_written([pair for pair, _lines in lines], sent), 0.0
    questions = {place: question for _pair, own in lines for place, question in own if question}
    has_reasons = next_round.number == LAST_ROUND[Stage.ANSWERS]
    read = read_answers(sent, questions, may_be_irrelevant=True, needs_why=has_reasons)["answers"]
    answers = {str(question.pk): {**read[str(place)], "text": question.text} for place, question in questions.items()}
    right = [answers[str(question.pk)]["choice"] == str(question.answer) for question in questions.values()]
    return {"answers": answers}, mean(right)


def _read_written(pairs: Sequence[AnnotationPair], sent: Sent) -> dict[str, Any]:
    """Read one question per pair; together they must name at least three properties."""
    content: list[dict[str, Any]] = []
    errors: dict[str, str] = {}
    found: set[str] = set()
    for place, pair in enumerate(pairs):
        own = {f"{name}-0": sent.get(f"{name}-{place}", ()) for name in ("text", "answer", "properties", "other")}
        try:
            (question,) = read_questions(own, most=1)["questions"]
        except BadWork as error:
            errors |= {f"{name.removesuffix('-0')}-{place}": message for name, message in error.errors.items()}
            continue
        content.append({**question, "pair": pair.number})
        found |= set(question["properties"])
    if not errors and len(found) < properties_wanted(len(pairs)):
        errors["properties-0"] = str(DIFFERENT_PROPERTIES % {"count": properties_wanted(len(pairs))})
    if errors:
        raise BadWork(errors)
    return {"questions": content}


def _give_back(person: Participant) -> None:
    for sheet in Sheet.objects.select_for_update().filter(holder=person):
        make_open(sheet, SheetEventKind.IN_GRADING)


def _close(one: QualificationRound, *, score: float, passes: bool) -> None:
    state = RoundState.PASSED if passes else RoundState.FAILED
    QualificationRound.objects.filter(pk=one.pk).update(state=state, score=score, graded_at=Now())
    if not passes and one.attempt >= ATTEMPTS:
        for sitting in sittings_of(one.participant):
            screen_out(participant=sitting)


@transaction.atomic
def grade_round(*, one: QualificationRound, grades: Sequence[int], feedback: str, by: User | None) -> None:
    """Store the grades, 1 to 4 for each answer; a mean of 3 passes. A round is graded once.

    Raises BadAnswer for other grades, and for a failure without feedback.
    """
    if len(grades) != how_many(one) or any(grade not in GRADES for grade in grades):
        count = how_many(one)
        raise BadAnswer(f"Give {count} grade{pluralize(count)} from 1 to 4, one for each answer.")
    if mean(grades) < MEAN_GRADE and not feedback.strip():
        raise BadAnswer(f"A mean of {mean(grades):.1f} does not let in: write in the feedback what was missing.")
    waiting = QualificationRound.objects.filter(pk=one.pk, state=RoundState.WAITING)
    if waiting.update(grades=list(grades), feedback=feedback, by=by):
        _close(one, score=mean(grades), passes=mean(grades) >= MEAN_GRADE)


def how_many(one: QualificationRound) -> int:
    """The number of answers in the round, each of which gets a grade."""
    return len(one.content.get("questions") or one.content.get("answers", ()))


def rule_of(next_round: QualificationRound, pairs: int, questions: int) -> str:
    """The rule for passing the round, with its numbers."""
    if next_round.stage == Stage.QUESTIONS:
        rule = _("Somebody reads them and gives each 1 to 4 points; 3 on average let you in.")
        return f"{rule} {DIFFERENT_PROPERTIES % {'count': properties_wanted(pairs)}}"
    if is_graded_by_staff(next_round):
        return _("Somebody reads your reasons and gives each 1 to 4 points; 3 on average let you in.")
    numbers = {"needed": right_wanted(questions), "count": questions}
    return _("%(needed)s right answers of %(count)s let you in.") % numbers


def failed_attempt(person: Participant, next_round: QualificationRound) -> dict[str, Any] | None:
    """The failed first attempt at the round that the person has to pass now, or None.

    Questions that are asked again don't reveal whether an answer was right.
    """
    one = failed_before(person, next_round)
    again = [question.pk for _pair, own in lines_for(next_round) for _, question in own if question]
    return _attempt(one, again) if one else None


def last_failure(person: Participant) -> dict[str, Any] | None:
    """The attempt after which the person was not let in, or None."""
    failed = [one for one in rounds_of(person) if one.state == RoundState.FAILED and one.attempt >= ATTEMPTS]
    return _attempt(failed[-1]) if failed else None


def _attempt(one: QualificationRound, again: Sequence[int] = ()) -> dict[str, Any]:
    """Why it failed, what staff wrote about it, and the person's own answers."""
    return {"why": why_of(one), "feedback": one.feedback, "answers": answers_of(one, again)}


def why_of(one: QualificationRound) -> str:
    """The failed attempt's result, and the result that was needed."""
    if one.grades:
        numbers: dict[str, object] = {"mean": f"{one.score:.1f}", "needed": f"{MEAN_GRADE:.0f}"}
        return _("It got %(mean)s points on average; %(needed)s are needed.") % numbers
    count = len(one.content.get("answers", ()))
    numbers = {"right": round((one.score or 0) * count), "count": count, "needed": right_wanted(count)}
    return _("%(right)s answers of %(count)s were right; %(needed)s are needed.") % numbers
