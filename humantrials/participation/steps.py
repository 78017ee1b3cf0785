"""A participant's steps: consent, instructions, practice, trials, code. One address always shows the current step.

Progress is stored on the participant, so a reload, a second tab and another device all continue from there.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString

from benchmarks.disclosure import SCORER, Reader, expected_of
from benchmarks.models import Item
from benchmarks.packs.truth.telling_frames import window_of
from humantrials.assignment.claims import claim_sheet, finish_sheet
from humantrials.assignment.exits import mark_for_repair, stop, withdraw
from humantrials.assignment.prepared_queries import ONE, OTHER_WORD, WORD, PreparedQuery
from humantrials.assignment.sheets import is_fresh, missing_slots
from humantrials.assignment.viewing_evidence import note_delivery
from humantrials.judging.attention_checks import SheetQuestion, items_of, questions_of_sheet
from humantrials.kinds import ParticipantPage, kind_of
from humantrials.models import Participant, ParticipantState, TextPart
from humantrials.models.participants import receipt_code
from humantrials.participation.between_clips import (
    BREAK,
    break_page,
    end_break,
    follow_up_facts,
    follow_up_page,
    with_follow_up,
)
from humantrials.participation.pilots import finish_pilot
from humantrials.participation.progress import answered_positions, comes_with_the_close, own_score
from humantrials.participation.questionnaire import open_questionnaire, questionnaire_page
from humantrials.participation.questions import DisplayedQuestion, practice_of, practice_sentence, trial_question
from humantrials.participation.screening import (
    BEFORE,
    INSTRUCTIONS,
    PRACTICE,
    QUIZ,
    SOUND,
    check_quiz,
    check_sound,
    step_after,
    steps,
)
from humantrials.participation.stop_messages import LEFT, Stop, return_context, stop_without_sheet
from humantrials.permissions import results_reader
from humantrials.planning.authored_texts import consent_of, html_of, quiz_in, text_of
from humantrials.planning.between_clips import blocks_of, follow_ups_of
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Consent, Protocol, Text
from humantrials.protocols.settings import gates_of
from measures.scores.moment_answers import NOTHING_WRONG, Window
from measures.scores.number_answers import TYPED

STEP = PreparedQuery(
    lambda: Participant.objects.filter(pk=ONE, state=ParticipantState.CONSENTED, step=WORD),
    *(ONE, WORD, OTHER_WORD),
    change={"step": OTHER_WORD},
)


def page_for(person: Participant, *, practised: str = "", again: bool = False, alone: bool = False) -> ParticipantPage:
    """The person's current page; `again` leads from a code with missing answers back to their clips.

    `alone` shows one clip without the following ones: without JavaScript the form answers one at a time.
    """
    if person.state in LEFT:
        return left_page(person)
    if person.has_finished:
        return last_page(person)
    if person.repair_at and not again:
        return repair_page(person)
    kind = kind_of(person.trial)
    if page := kind.waiting_page(person):
        return replace(page, context={**page.context, **return_context(person, leaves_now=True)})
    if not (person.is_apart or is_fresh(person)):
        person.sheet = claim_sheet(participant=person)
    if person.sheet_id is None:
        return stop_page(stop_without_sheet(person.trial), person)
    if page := _step_page(person, practised):
        return page
    return kind.next_page(person, alone=alone) or last_page(_finished(person))


def left_page(person: Participant) -> ParticipantPage:
    """The page of somebody who left."""
    page = kind_of(person.trial).left_page(person) or stop_page(LEFT[ParticipantState(person.state)])
    return replace(page, context={**page.context, "person": person, **return_context(person)})


def _step_page(person: Participant, practised: str) -> ParticipantPage | None:
    """The page of a step between the consent and the clips, or None."""
    if person.step == BEFORE:
        if text := open_questionnaire(person, BEFORE):
            return questionnaire_page(person, text)
        _go(person, BEFORE, steps(person.trial)[0])
        person.refresh_from_db(fields=["step"])
    if person.step == SOUND:
        return ParticipantPage("humantrials/sound.html", {"was": person.checks.get("sound_was", "")})
    if person.step == INSTRUCTIONS:
        facts = _facts(person, len(questions_of_sheet(person))) | {"own": _own(person, TextPart.INSTRUCTIONS)}
        return ParticipantPage("humantrials/instructions.html", facts)
    if person.step == QUIZ:
        return quiz_page(person)
    if person.step == PRACTICE and (practice := practice_of(person.trial)):
        return practice_page(person, practice, practised)
    return None


def quiz_page(person: Participant) -> ParticipantPage:
    """The quiz; after a failed attempt with the wrong questions marked and the instructions beside them."""
    quiz = quiz_in(person.trial, person.language)
    facts = {
        "quiz": quiz,
        "wrong": person.checks.get("quiz_wrong", []),
        "attempts_left": max(1, quiz.attempts - person.checks.get("quiz", 0)),
        "instructions": find_protocol(person.trial.protocol).screening.instructions,
        "own": _own(person, TextPart.INSTRUCTIONS),
    }
    return ParticipantPage("humantrials/quiz.html", facts)


def stop_page(stop: Stop, person: Participant | None = None) -> ParticipantPage:
    return ParticipantPage(
        "humantrials/stopped.html", {"stop": stop, "person": person, **(return_context(person) if person else {})}
    )


def consent_page(person: Participant) -> ParticipantPage:
    """What somebody reads who is not stored yet, with the size of the sheet that they would get."""
    consent = consent_of(person.trial, person.language)
    facts = _facts(person, len(questions_of_sheet(person))) | {"shown": consent, "consent": consent.consent}
    facts |= {"digest": consent.consent.digest(person.language)}
    facts |= {name: person.trial.settings.get(name, "") for name in ("contact", "ethics")}
    facts |= {"needs_width": bool(gates_of(person.trial.settings).width)}
    return ParticipantPage("humantrials/consent.html", facts)


def practice_page(person: Participant, item: Item, practised: str) -> ParticipantPage:
    """The practice clip, or the right answer once it was answered."""
    protocol = find_protocol(person.trial.protocol)
    own = trial_question(person, item, SheetQuestion(0, item.pk or 0, protocol.design.condition, 0))
    facts: dict[str, Any] = {"question": replace(own, sentence=practice_sentence(protocol, item))}
    if protocol.player.accepts(practised, item):
        expected = _practice_answer(protocol, item, SCORER)
        right = right_answer(protocol, item, expected)
        is_secret = bool(right) and _practice_answer(protocol, item, results_reader(person.trial)) is None
        facts |= {"said": protocol.player.label(practised), "right": "" if is_secret else right}
        facts |= {"is_secret": is_secret, "is_watched": protocol.player.is_watched}
        facts |= {"is_right": is_right(protocol, item, practised, expected)}
        return ParticipantPage("humantrials/practised.html", facts)
    return ParticipantPage(protocol.player.trial_type.template, {**facts, "is_practice": True, **_of_page(protocol)})


def trials_page(person: Participant, *, alone: bool = False) -> ParticipantPage | None:
    """The remaining clips; None after the last one."""
    protocol = find_protocol(person.trial.protocol)
    on_sheet = questions_of_sheet(person)
    answered = answered_positions(person)
    left = [one for one in on_sheet if one.position not in answered]
    if not left:
        return None
    if page := follow_up_page(person):
        return page
    note_delivery(person)
    facts = _facts(person, len(on_sheet), left=len(left)) | {"answered": len(on_sheet) - len(left)}
    blocks = blocks_of(person.trial, on_sheet)
    if page := break_page(person, blocks, left[0]):
        return replace(page, context={**facts, **page.context})
    block = next(block for block in blocks if left[0] in block)
    displayed = left[:1] if alone else [one for one in left if one in block]
    questions = _questions(person, displayed)
    facts |= {"question": questions[0], "questions": questions, **_of_page(protocol)}
    facts |= follow_up_facts(follow_ups_of(person))
    return ParticipantPage(protocol.player.trial_type.template, {**facts, "has_last": len(displayed) == len(left)})


def _of_page(protocol: Protocol) -> dict[str, Any]:
    recorded = protocol.player.trial_type.fields
    return {"recorded": recorded, "marks": protocol.player.marks, "number_pattern": TYPED}


def _questions(person: Participant, displayed: Sequence[SheetQuestion]) -> list[DisplayedQuestion]:
    items, follow_ups = items_of(person, displayed), follow_ups_of(person)
    return [
        with_follow_up(trial_question(person, items[one.item_id], one), follow_ups, one.position) for one in displayed
    ]


def _finished(person: Participant) -> Participant:
    if person.is_preview:
        return person
    return finish_pilot(participant=person) if person.is_pilot else finish_sheet(participant=person)


def repair_page(person: Participant) -> ParticipantPage:
    """The code with the share that arrived, and the missing numbers; if none is missing this finishes the sheet."""
    numbers = {one.position: one.number for one in questions_of_sheet(person, with_withdrawn=True)}
    missing = sorted(numbers[slot.position] for slot in missing_slots(person))
    if not missing:
        return last_page(finish_sheet(participant=person))
    person = mark_for_repair(participant=person)
    return ParticipantPage("humantrials/repair.html", {"missing": [at + 1 for at in missing], **return_context(person)})


def last_page(person: Participant) -> ParticipantPage:
    """Follow-up questions on the last answer, the author's last questions, then the code. The answers count already."""
    if page := follow_up_page(person):
        return page
    text = open_questionnaire(person, TextPart.AFTER)
    return questionnaire_page(person, text) if text else done_page(person)


def done_page(person: Participant) -> ParticipantPage:
    """The last page with the code; it stays at this address."""
    protocol = find_protocol(person.trial.protocol)
    facts = {"done": person, "debrief": protocol.player.debrief, **return_context(person)}
    facts |= {"own": _own(person, TextPart.DEBRIEF)}
    if not person.is_apart:
        score = own_score(person)
        facts |= {"score": score, "comes_with_the_close": score is None and comes_with_the_close(person)}
        facts |= kind_of(person.trial).done_facts(person)
    return ParticipantPage("humantrials/done.html", facts)


def _facts(person: Participant, clips: int, *, left: int | None = None) -> dict[str, Any]:
    protocol = find_protocol(person.trial.protocol)
    seconds = protocol.player.seconds_a_trial * (clips if left is None else left)
    return {
        "clips": clips,
        "minutes": math.ceil(seconds / 60),
        "seconds_a_trial": protocol.player.seconds_a_trial,
        "instructions": protocol.screening.instructions,
        "keys": protocol.player.keys,
        "clips_each": protocol.player.clips,
        "unit": protocol.unit,
        "has_practice": person.trial.has_practice,
        "is_watched": protocol.player.is_watched,
        **kind_of(person.trial).sheet_facts(person),
    }


def agree(person: Participant, consent: Consent) -> None:
    """Note the consent to this text on somebody who is not stored yet."""
    person.state = ParticipantState.CONSENTED
    person.step = BEFORE if open_questionnaire(person, BEFORE) else steps(person.trial)[0]
    person.consent_version, person.consent_hash = consent.version, consent.digest(person.language)
    person.consented_at, person.has_evidence = timezone.now(), True
    person.receipt_code = receipt_code()  # from now on there are answers to withdraw


def take_step(person: Participant, posted: Mapping[str, str]) -> None:
    """Handle a button that leads on; a second press, or one in an old tab, changes nothing."""
    step = posted.get("step", "")
    if step in (SOUND, INSTRUCTIONS, QUIZ, PRACTICE):
        _pass(person, step, posted)
    elif step == BREAK:
        end_break(participant=person, block=posted.get("block", ""))
    else:
        take_leave(person, step)


def take_leave(person: Participant, step: str) -> None:
    """Stop or withdraw; a preview has nothing to withdraw."""
    if step == "stop" and not person.is_apart:
        stop(participant=person)
    elif step == "withdraw" and not person.is_preview:
        withdraw(participant=person)


def note_practised(person: Participant, answer: str) -> None:
    """Store that the practice clip was answered: only then does the button below its answer lead on."""
    practice = practice_of(person.trial)
    if person.step == PRACTICE and practice and find_protocol(person.trial.protocol).player.accepts(answer, practice):
        person.checks = {**person.checks, "practised": True}
        Participant.objects.filter(pk=person.pk, step=PRACTICE).update(checks=person.checks)


def _own(person: Participant, part: str) -> SafeString | None:
    return html_of(text_of(person.trial, part, person.language))


def _pass(person: Participant, step: str, posted: Mapping[str, str]) -> None:
    """Go to the next step if this is the person's current step and its check is passed."""
    if step == SOUND and not check_sound(participant=person, posted=posted):
        return
    if step == PRACTICE and "practised" not in person.checks:
        return
    if step == QUIZ and not check_quiz(participant=person, posted=posted):
        return
    _go(person, step, step_after(person.trial, step))


def _go(person: Participant, here: str, there: str) -> None:
    STEP.update(person.pk, here, there)


def _practice_answer(protocol: Protocol, item: Item, reader: Reader) -> str | None:
    """The expected answer of a practice item, which is the protocol's own if it is no item of a pack."""
    own = protocol.screening.own_practice
    return own.expected if own and item.pk is None else expected_of(item, to=reader)


def right_answer(protocol: Protocol, item: Item, expected: str | None) -> Text:
    """The words of the right answer; "" if there is none, or if its moment is unknown."""
    if not protocol.player.has_moments:
        return protocol.player.label(expected) if expected else ""
    if expected == "yes":
        return protocol.player.label(NOTHING_WRONG)
    window = _window(item)
    return protocol.player.label(f"{window.knowable:g}") if window else ""


def is_right(protocol: Protocol, item: Item, answer: str, expected: str | None) -> bool:
    if not protocol.player.has_moments or expected == "yes":
        return answer == (NOTHING_WRONG if protocol.player.has_moments else expected)
    window = _window(item)
    return window is not None and answer != NOTHING_WRONG and window.holds(float(answer))


def _window(item: Item) -> Window | None:
    return window_of(item.clip.facts) if item.clip else None
