"""The road of a participant: consent, instructions, practice, trials, code. One address shows whatever comes next.

What was reached is stored on the participant, so a reload, a second tab and another device all go on from there.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from django.db.models.functions import Now

from benchmarks.models import Item
from humantrials.annotation.pages import size_of, waiting_page, work_page
from humantrials.annotation.people import may_go_on, next_sitting
from humantrials.asked import slots_of
from humantrials.assignment import claim_sheet, finish_sheet
from humantrials.attention import Asked, asked_of, items_of
from humantrials.codes import receipt_code
from humantrials.given import is_staged
from humantrials.homecoming import homecoming
from humantrials.leases import is_fresh
from humantrials.leaving import decline, stop, withdraw
from humantrials.models import Judgment, Participant, ParticipantKind, ParticipantState
from humantrials.pages import Page
from humantrials.piloting import finish_pilot
from humantrials.prepared import ONE, Prepared
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.questions import Question, practice_sentence, trial_question
from humantrials.repair import missing_slots
from humantrials.screening import (
    BREAK,
    INSTRUCTIONS,
    PRACTICE,
    QUIZ,
    SOUND,
    check_quiz,
    check_sound,
    end_break,
    step_after,
    steps,
)  # fmt: skip
from humantrials.stops import LEFT, Stop, stop_of, stop_without_sheet
from humantrials.trial_settings import setting

JUDGED = Prepared(lambda: Judgment.objects.filter(participant=ONE).values_list("slot"), ONE)
PREVIEWED = "trials-"  # a preview leaves no answers, so its step remembers how many clips were shown


def page_for(person: Participant, *, practised: str = "", again: bool = False, alone: bool = False) -> Page:
    """The page that this person is at; `again` leads from a code with missing answers back to their clips.

    `alone` shows one clip without those that come after it: whoever answers by the form has no script to play them.
    """
    if person.state in LEFT:
        return stop_page(stop_of(person), person)
    if person.has_finished:
        return done_page(person)
    if person.repair_at and not again:
        return repair_page(person)
    if is_staged(person.trial) and (page := waiting_page(person)):
        return page
    if not (is_apart(person) or is_fresh(person)):
        person.sheet = claim_sheet(participant=person)
    if person.sheet_id is None:
        return stop_page(stop_without_sheet(person), person)
    if person.state == ParticipantState.ARRIVED:
        return consent_page(person)
    if page := _step_page(person, practised):
        return page
    return stage_page(person) if is_staged(person.trial) else trials_page(person, alone=alone)


def stage_page(person: Participant) -> Page:
    """The next task of a sheet of stages; after the last one the sheet is finished here."""
    return work_page(person) or done_page(_finished(person))


def _step_page(person: Participant, practised: str) -> Page | None:
    """What comes between the consent and the clips."""
    if person.step == SOUND:
        return Page("humantrials/sound.html", {"was": person.checks.get("sound_was", "")})
    if person.step == INSTRUCTIONS:
        return Page("humantrials/instructions.html", _facts(person, len(asked_of(person))))
    if person.step == QUIZ:
        return quiz_page(person)
    if person.step == PRACTICE and person.trial.practice:
        return practice_page(person, person.trial.practice, practised)
    return None


def quiz_page(person: Participant) -> Page:
    """The questions, and after a first attempt which of them to look at again, with the instructions beside."""
    protocol = find_protocol(person.trial.protocol)
    facts = {"quiz": protocol.quiz, "wrong": person.checks.get("quiz_wrong", []), "instructions": protocol.instructions}
    return Page("humantrials/quiz.html", facts)


def stop_page(stop: Stop, person: Participant | None = None) -> Page:
    return Page("humantrials/stopped.html", {"stop": stop, "person": person, **(homecoming(person) if person else {})})


def consent_page(person: Participant) -> Page:
    protocol = find_protocol(person.trial.protocol)
    facts = _facts(person, len(asked_of(person))) | {"contact": person.trial.settings.get("contact", "")}
    facts |= {"consent": protocol.consent, "digest": protocol.consent.digest(person.language)}
    facts |= {"is_watched": protocol.is_watched}
    return Page("humantrials/consent.html", facts)


def practice_page(person: Participant, item: Item, practised: str) -> Page:
    """The practice clip, or what was to be answered to it."""
    protocol = find_protocol(person.trial.protocol)
    own = trial_question(person, item, condition=protocol.condition)
    facts: dict[str, Any] = {"question": replace(own, sentence=practice_sentence(protocol, item))}
    if protocol.accepts(practised, item):
        facts |= {"said": protocol.label(practised), "right": protocol.label(item.expected or "")}
        return Page("humantrials/practised.html", {**facts, "is_right": practised == item.expected})
    return Page(protocol.trial_type.template, {**facts, "is_practice": True, "recorded": protocol.trial_type.fields})


def trials_page(person: Participant, *, alone: bool = False) -> Page:
    """The clips that are left; after the last one the sheet is finished here if it was not already."""
    protocol = find_protocol(person.trial.protocol)
    asked = asked_of(person, with_attention=not is_preview(person))
    answered = answered_positions(person)
    left = [one for one in asked if one.position not in answered]
    if not left:
        return done_page(_finished(person))
    facts = _facts(person, len(asked), left=len(left)) | {"answered": len(asked) - len(left)}
    blocks = blocks_of(asked) if protocol.has_breaks else [asked]
    number = next(number for number, block in enumerate(blocks) if left[0] in block)
    if number > person.checks.get("block", 0):
        kept = setting(person.trial.settings, "lease_seconds", protocol) // 60
        facts |= {"next_block": number, "next": protocol.words.get(left[0].condition, ""), "kept_minutes": kept}
        return Page("humantrials/break.html", facts)
    shown = left[:1] if alone else [one for one in left if one in blocks[number]]
    questions = _questions(person, protocol, shown)
    facts |= {"question": questions[0], "questions": questions, "recorded": protocol.trial_type.fields}
    return Page(protocol.trial_type.template, {**facts, "has_last": len(shown) == len(left)})


def _questions(person: Participant, protocol: Protocol, shown: Sequence[Asked]) -> list[Question]:
    items = items_of(person, shown)
    return [trial_question(person, items[one.item_id], condition=one.condition, position=one.position) for one in shown]


def blocks_of(asked: Sequence[Asked]) -> list[list[Asked]]:
    """The sheet's questions in order, cut where the condition changes."""
    return [list(block) for _, block in itertools.groupby(asked, key=attrgetter("condition"))]


def _finished(person: Participant) -> Participant:
    if is_preview(person):
        return person
    return finish_pilot(participant=person) if is_pilot(person) else finish_sheet(participant=person)


def repair_page(person: Participant) -> Page:
    """The code, and that answers are missing; complete ones finish the sheet here."""
    missing = list(missing_slots(person).values_list("position", flat=True))
    if not missing:
        return done_page(finish_sheet(participant=person))
    return Page("humantrials/repair.html", {"missing": [at + 1 for at in missing], **homecoming(person)})


def done_page(person: Participant) -> Page:
    """The code, at the same address for ever."""
    protocol = find_protocol(person.trial.protocol)
    facts = {"done": person, "debrief": protocol.debrief, **homecoming(person)}
    if is_staged(person.trial) and not is_apart(person):
        facts |= {"may_go_on": may_go_on(person), "next_sitting": next_sitting(person)}
    return Page("humantrials/done.html", facts)


def _facts(person: Participant, clips: int, *, left: int | None = None) -> dict[str, Any]:
    protocol = find_protocol(person.trial.protocol)
    seconds = protocol.seconds_a_trial * (clips if left is None else left)
    return {
        "clips": clips,
        "minutes": math.ceil(seconds / 60),
        "seconds_a_trial": protocol.seconds_a_trial,
        "instructions": protocol.instructions,
        "has_two_answers": not protocol.has_own_options,
        "has_practice": person.trial.practice_id is not None,
        **(size_of(person) if is_staged(person.trial) else {}),
    }


def is_preview(person: Participant) -> bool:
    return person.kind == ParticipantKind.PREVIEW


def is_pilot(person: Participant) -> bool:
    return person.kind == ParticipantKind.PILOT


def is_apart(person: Participant) -> bool:
    """Whoever looks at a sheet without holding it."""
    return is_preview(person) or is_pilot(person)


def answered_positions(person: Participant) -> set[int]:
    if is_preview(person):
        return set(range(int(person.step.removeprefix(PREVIEWED)))) if person.step.startswith(PREVIEWED) else set()
    if is_pilot(person):
        return set(person.pilot_answers.values_list("position", flat=True))
    judged = {slot for (slot,) in JUDGED.rows(person.pk)}
    answered = {slot.position for slot in slots_of(person) if slot.pk in judged}
    if find_protocol(person.trial.protocol).attention_items:
        answered |= set(person.attention_answers.values_list("position", flat=True))
    return answered


def agree(person: Participant, digest: str) -> None:
    """Store what was agreed to; a text that has changed since it was shown is shown again."""
    protocol = find_protocol(person.trial.protocol)
    consent = protocol.consent
    if digest != consent.digest(person.language):
        return
    waiting = Participant.objects.filter(pk=person.pk, state=ParticipantState.ARRIVED)
    waiting.update(
        state=ParticipantState.CONSENTED,
        step=steps(protocol, has_practice=False)[0],
        consent_version=consent.version,
        consent_hash=digest,
        consented_at=Now(),
        receipt_code=receipt_code(),  # from now on there is something to withdraw
    )


def take_step(person: Participant, posted: Mapping[str, str]) -> None:
    """One press of a button that leads on. Pressed twice, or in an old tab, it changes nothing."""
    step, choice = posted.get("step", ""), posted.get("choice", "")
    if step == "consent" and choice == "no":
        decline(participant=person)
    elif step == "consent":
        agree(person, posted.get("digest", ""))
    elif step in (SOUND, INSTRUCTIONS, QUIZ, PRACTICE):
        _pass(person, step, posted)
    elif step == BREAK:
        end_break(participant=person, block=posted.get("block", ""))
    else:
        take_leave(person, step)


def take_leave(person: Participant, step: str) -> None:
    """Stop, or erase; a preview has nothing to erase."""
    if step == "stop" and not is_apart(person):
        stop(participant=person)
    elif step == "withdraw" and not is_preview(person):
        withdraw(participant=person)


def _pass(person: Participant, step: str, posted: Mapping[str, str]) -> None:
    """Leave this step for the next one, if it is the person's step and nothing keeps them there."""
    protocol = find_protocol(person.trial.protocol)
    if step == SOUND and not check_sound(participant=person, posted=posted):
        return
    if step == QUIZ and not check_quiz(participant=person, protocol=protocol, posted=posted):
        return
    _go(person, step, step_after(protocol, step, has_practice=person.trial.practice_id is not None))


def _go(person: Participant, here: str, there: str) -> None:
    Participant.objects.filter(pk=person.pk, state=ParticipantState.CONSENTED, step=here).update(step=there)
