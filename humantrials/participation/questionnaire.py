"""The author's questions on a participant's page, and the answers to them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from humantrials.assignment.sheets import locked
from humantrials.kinds import ParticipantPage
from humantrials.models import AuthoredText, Participant, QuestionnaireAnswer, TextPart
from humantrials.planning.authored_texts import text_of, version_numbered
from humantrials.planning.questionnaires import AuthorQuestion, QuestionKind, read_questions
from humantrials.protocols.trial_types import plain_text
from measures.scores.number_answers import typed_number

LONGEST_ANSWER = 2000
PARTS = (TextPart.BEFORE, TextPart.AFTER)


@dataclass(frozen=True)
class QuestionField:
    """A question on the page, with the submitted answer and its error."""

    question: AuthorQuestion
    typed: str = ""
    error: str = ""


def open_questionnaire(person: Participant, part: str) -> AuthoredText | None:
    """The questions that the person still has to see; none for people who finished before they were written."""
    if person.checks.get(part):
        return None
    written = {"created_at__lte": person.finished_at} if person.finished_at else {}
    return text_of(person.trial, part, person.language, **written)


def questionnaire_page(
    person: Participant, text: AuthoredText, posted: Mapping[str, str] | None = None
) -> ParticipantPage:
    """The page of questions; after an invalid form with the submitted answers and their errors."""
    questions = []
    for question in read_questions(text.body):
        typed = _typed(question, (posted or {}).get(f"q_{question.name}", ""))
        questions.append(QuestionField(question, typed, problem_of(question, typed) if posted else ""))
    facts: dict[str, Any] = {"asked": questions, "text": text, "is_before": text.part == TextPart.BEFORE}
    facts |= {"problems": sum(bool(one.error) for one in questions)}
    return ParticipantPage("humantrials/questionnaire.html", facts | ({"done": person} if person.has_finished else {}))


def _typed(question: AuthorQuestion, text: str) -> str:
    """The answer as it is stored: a number in plain digits, whatever script it was typed in."""
    return (typed_number(text) if question.kind == QuestionKind.NUMBER else None) or plain_text(text)


def problem_of(question: AuthorQuestion, typed: str) -> str:
    """The error of an answer, in the person's language; "" if there is none."""
    if not typed:
        return _("Please answer this question.") if question.is_required else ""
    if question.kind in (QuestionKind.CHOICE, QuestionKind.SCALE):
        is_offered = any(value == typed for value, _words in question.options)
        return "" if is_offered else _("Please choose one of these answers.")
    if question.kind == QuestionKind.TEXT:
        return "" if len(typed) <= LONGEST_ANSWER else _("Please write at most 2000 characters.")
    return _number_problem(question, typed)


def _number_problem(question: AuthorQuestion, typed: str) -> str:
    if not typed.removeprefix("-").isdecimal() or not typed.isascii() or len(typed) > 9:
        return _("Please write a whole number.")
    low, high = question.low, question.high
    if low is not None and high is not None and not low <= int(typed) <= high:
        return _("Please write a number from %(low)s to %(high)s.") % {"low": low, "high": high}
    return ""


def record_questionnaire(*, participant: Participant, posted: Mapping[str, str]) -> ParticipantPage | None:
    """Store the answers once, or return the page with its errors. Forms of other steps change nothing."""
    return _recorded(participant, posted) if posted.get("step") in PARTS else None


@transaction.atomic
def _recorded(participant: Participant, posted: Mapping[str, str]) -> ParticipantPage | None:
    """A preview stores no answers."""
    person = locked(participant)
    text = _displayed_version(person, posted)
    if text is None:
        return None
    page = questionnaire_page(person, text, posted)
    if page.context["problems"]:
        return page
    if not person.is_preview:
        QuestionnaireAnswer.objects.bulk_create(
            [
                QuestionnaireAnswer(
                    participant=person, shown=text, part=text.part, name=one.question.name, answer=one.typed
                )
                for one in page.context["asked"]
                if one.typed
            ],
            ignore_conflicts=True,
        )
    Participant.objects.filter(pk=person.pk).update(checks={**person.checks, text.part: text.version})
    return None


def _displayed_version(person: Participant, posted: Mapping[str, str]) -> AuthoredText | None:
    """The version that the form was made from; None if the person is at another step or has answered."""
    part = posted.get("step", "")
    is_done = person.has_finished or person.is_preview
    is_turn = person.step == part if part == TextPart.BEFORE else is_done
    is_open = is_turn and not person.checks.get(part)
    return version_numbered(person.trial, part, posted.get("text", "")) if is_open else None
