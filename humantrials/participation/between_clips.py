"""What comes between two clips: the questions on the last answer, and breaks.

A follow-up asks how sure the participant is and, for a share of the items, why. A break begins when its page is first
shown, and ends with a press after a minimum.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from benchmarks import leasing
from humantrials.assignment.sheets import locked, note
from humantrials.judging.attention_checks import SheetQuestion, items_of, questions_of_sheet
from humantrials.kinds import ParticipantPage
from humantrials.models import Participant, ParticipantKind, SheetEventKind
from humantrials.participation.progress import answered_positions
from humantrials.participation.questions import DisplayedQuestion, trial_question
from humantrials.participation.screening import note_check
from humantrials.planning.between_clips import (
    LONGEST_WHY,
    FollowUpQuestions,
    answer_at,
    follow_ups_of,
    has_follow_ups,
    limits_of,
    record_follow_up,
)
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Text
from humantrials.protocols.settings import setting

BREAK = "break"
BEGUN, BLOCK, LASTED = "break_at", "block", "breaks"  # in the participant's checks
UNHURRIED = (ParticipantKind.SIMULATED, ParticipantKind.PREVIEW)  # they need not wait


def break_page(
    person: Participant, blocks: Sequence[list[SheetQuestion]], next_one: SheetQuestion
) -> ParticipantPage | None:
    """The break before the block of the next question; None if that block was begun."""
    number = next(number for number, block in enumerate(blocks) if next_one in block)
    if number <= person.checks.get(BLOCK, 0):
        return None
    person = begin_break(participant=person, number=number)
    protocol, settings = find_protocol(person.trial.protocol), person.trial.settings
    facts: dict[str, Any] = {"next_block": number, "next": protocol.player.words.get(next_one.condition, "")}
    facts |= {"wait": _wait(person), "most": limits_of(settings).most if "break_seconds" in settings else None}
    facts |= {"kept_minutes": setting(settings, "lease_seconds", protocol) // 60}
    return ParticipantPage("humantrials/break.html", facts)


@transaction.atomic
def begin_break(*, participant: Participant, number: int) -> Participant:
    """Record when the break before the block of this number began; a reload does not restart it."""
    person = locked(participant)
    if BEGUN not in person.checks:
        note_check(person, **{BEGUN: leasing.database_now().timestamp()})
        _log(person, SheetEventKind.BREAK_BEGINS, number)
    return person


@transaction.atomic
def end_break(*, participant: Participant, block: str) -> None:
    """Continue with the block of this number; a repeated, early or late press changes nothing."""
    person = locked(participant)
    is_next = person.is_under_way and block == str(person.checks.get(BLOCK, 0) + 1)
    if not is_next or BEGUN not in person.checks or _wait(person):
        return
    lasted = round(leasing.database_now().timestamp() - person.checks.pop(BEGUN), 1)
    note_check(person, **{BLOCK: int(block), LASTED: [*person.checks.get(LASTED, ()), lasted]})
    _log(person, SheetEventKind.BREAK_ENDS, int(block))


def _wait(person: Participant) -> int:
    """Seconds until the break may end."""
    least, begun = limits_of(person.trial.settings).least, person.checks.get(BEGUN)
    if begun is None or person.kind in UNHURRIED:
        return 0
    return max(0, math.ceil(least - (leasing.database_now().timestamp() - begun)))


def _log(person: Participant, kind: SheetEventKind, number: int) -> None:
    if person.sheet and not person.is_apart:
        note(person.sheet, person.epoch, kind, number)


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
    if person.is_preview:
        note_check(person, **{FOLLOWED: position})
    else:
        record_follow_up(participant=person, position=position, posted=posted)


def _is_followed(person: Participant, position: int) -> bool:
    if person.is_preview:
        return person.checks.get(FOLLOWED, -1) >= position
    return person.follow_ups.filter(position=position).exists()


def _answer_text(person: Participant, question: SheetQuestion) -> Text:
    """The words of the answer; "" for a preview, which stored none."""
    answer = answer_at(person, question.position)
    return "" if answer is None else find_protocol(person.trial.protocol).player.label(answer)
