"""The page right after an answer: asks how sure the participant is and, for a share of the items, why."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from humantrials.judging.attention_checks import SheetQuestion, items_of, questions_of_sheet
from humantrials.models import Participant
from humantrials.participation.entering.screening import note_check
from humantrials.participation.page import ParticipantPage
from humantrials.participation.progress import answered_positions, is_pilot, is_preview
from humantrials.participation.questions import DisplayedQuestion, trial_question
from humantrials.planning.follow_ups import (
    LONGEST_WHY,
    FollowUpQuestions,
    follow_ups_of,
    has_follow_ups,
    record_follow_up,
)
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Text

FOLLOWED = "followed"  # a preview stores nothing, so its checks remember the last one


def follow_up_page(person: Participant) -> ParticipantPage | None:
    """The open questions about the last answer. Earlier answers get none: people would say how sure they are now."""
    if not has_follow_ups(person.trial.settings):
        return None
    answered, questions = answered_positions(person), follow_ups_of(person)
    on_sheet = questions_of_sheet(person)
    last = next((one for one in reversed(on_sheet) if one.position in answered), None)
    if last is None or not questions.after(last.position) or _is_followed(person, last.position):
        return None
    item = items_of(person, [last])[last.item_id]
    question = trial_question(person, item, last)
    facts = {
        "question": with_follow_up(question, questions, last.position),
        "said": _answer_text(person, last),
        "answered": len(answered),
    }
    facts |= {"clips": len(on_sheet), **follow_up_facts(questions)}
    return ParticipantPage("humantrials/follow_up.html", facts | ({"done": person} if person.has_finished else {}))


def follow_up_facts(questions: FollowUpQuestions) -> dict[str, Any]:
    """Context of the follow-up form."""
    return {"scale": questions.scale, "asks_why": bool(questions.why), "longest_why": LONGEST_WHY}


def with_follow_up(question: DisplayedQuestion, questions: FollowUpQuestions, position: int) -> DisplayedQuestion:
    """The question with its follow-up questions."""
    steps = questions.scale.steps if questions.scale else 0
    return replace(question, confidence_steps=steps, asks_why=position in questions.why)


def take_follow_up(person: Participant, position: int, posted: Mapping[str, str]) -> None:
    """Store the follow-up answers; a preview only continues."""
    if is_preview(person):
        note_check(person, **{FOLLOWED: position})
    else:
        record_follow_up(participant=person, position=position, posted=posted)


def _is_followed(person: Participant, position: int) -> bool:
    if is_preview(person):
        return person.checks.get(FOLLOWED, -1) >= position
    return person.follow_ups.filter(position=position).exists()


def _answer_text(person: Participant, question: SheetQuestion) -> Text:
    """The words of the answer; "" for a preview, which stored none."""
    apart = person.pilot_answers if is_pilot(person) else person.attention_answers
    judged = person.judgments.filter(slot__position=question.position)
    for found in (judged, apart.filter(position=question.position)):
        for answer in found.values_list("answer", flat=True):
            return find_protocol(person.trial.protocol).player.label(answer)
    return ""
