"""The road of a participant: consent, instructions, practice, trials, code. One address shows whatever comes next.

What was reached is stored on the participant, so a reload, a second tab and another device all go on from there.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from django.db.models.functions import Now

from benchmarks.models import Item, ItemMedia
from humantrials.assignment import claim_sheet, finish_sheet
from humantrials.codes import receipt_code
from humantrials.homecoming import homecoming
from humantrials.leaving import decline, stop, withdraw
from humantrials.models import Participant, ParticipantKind, ParticipantState, Sheet, Slot
from humantrials.piloting import finish_pilot
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Option, Protocol
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
from humantrials.stops import LEFT, Stop, stop_without_sheet
from humantrials.trial_settings import setting

PREVIEWED = "trials-"  # a preview leaves no answers, so its step remembers how many clips were shown


@dataclass(frozen=True)
class Page:
    """What is shown next."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """One clip of a question: its place, what it is called, and where the box lies, in the units of `view`."""

    place: int = 0
    name: str = ""
    box: tuple[int, int, int, int] | None = None  # left, top, width, height
    view: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Question:
    """One question as a page shows it: its clips, its sentence, its answers. Nothing in it tells the item."""

    position: int
    sentence: str
    options: tuple[Option, ...]
    clips: tuple[Shown, ...] = (Shown(),)
    note: str = ""  # what is said of the condition, such as that there is no sound


def page_for(person: Participant, *, practised: str = "", again: bool = False) -> Page:
    """The page that this person is at; `again` leads from a code with missing answers back to their clips."""
    if person.state in LEFT:
        return stop_page(LEFT[ParticipantState(person.state)], person)
    if person.has_finished:
        return done_page(person)
    if person.repair_at and not again:
        return repair_page(person)
    sheet = person.sheet if is_apart(person) else claim_sheet(participant=person)
    if sheet is None:
        return stop_page(stop_without_sheet(person), person)
    if person.state == ParticipantState.ARRIVED:
        return consent_page(person, sheet)
    return _step_page(person, sheet, practised)


def _step_page(person: Participant, sheet: Sheet, practised: str) -> Page:
    """What comes between the consent and the code."""
    if person.step == SOUND:
        return Page("humantrials/sound.html", {"was": person.checks.get("sound_was", "")})
    if person.step == INSTRUCTIONS:
        return Page("humantrials/instructions.html", _facts(person, sheet.slots.count()))
    if person.step == QUIZ:
        return quiz_page(person)
    if person.step == PRACTICE and person.trial.practice:
        return practice_page(person, person.trial.practice, practised)
    return trials_page(person, sheet)


def quiz_page(person: Participant) -> Page:
    """The questions, and after a first attempt which of them to look at again, with the instructions beside."""
    protocol = find_protocol(person.trial.protocol)
    facts = {"quiz": protocol.quiz, "wrong": person.checks.get("quiz_wrong", []), "instructions": protocol.instructions}
    return Page("humantrials/quiz.html", facts)


def stop_page(stop: Stop, person: Participant | None = None) -> Page:
    return Page("humantrials/stopped.html", {"stop": stop, "person": person, **(homecoming(person) if person else {})})


def consent_page(person: Participant, sheet: Sheet) -> Page:
    protocol = find_protocol(person.trial.protocol)
    facts = _facts(person, sheet.slots.count()) | {"contact": person.trial.settings.get("contact", "")}
    facts |= {"consent": protocol.consent, "digest": protocol.consent.digest(person.language)}
    return Page("humantrials/consent.html", facts)


def practice_page(person: Participant, item: Item, practised: str) -> Page:
    """The practice clip, or what was to be answered to it."""
    protocol = find_protocol(person.trial.protocol)
    own = trial_question(person, item, condition=protocol.condition)
    facts: dict[str, Any] = {"question": replace(own, sentence=practice_sentence(protocol, item))}
    if protocol.accepts(practised, item):
        facts |= {"said": protocol.label(practised), "right": protocol.label(item.expected or "")}
        return Page("humantrials/practised.html", {**facts, "is_right": practised == item.expected})
    return Page(protocol.trial_type.template, {**facts, "is_practice": True, "records": protocol.trial_type.records})


def trials_page(person: Participant, sheet: Sheet) -> Page:
    """The clips that are left; after the last one the sheet is finished here if it was not already."""
    protocol = find_protocol(person.trial.protocol)
    slots = list(sheet.slots.select_related("item").prefetch_related("item__media__clip"))
    answered = answered_positions(person)
    left = [slot for slot in slots if slot.position not in answered]
    if not left:
        return done_page(_finished(person))
    facts = _facts(person, len(slots), left=len(left)) | {"answered": len(slots) - len(left)}
    blocks = blocks_of(slots) if protocol.has_breaks else [slots]
    number = next(number for number, block in enumerate(blocks) if left[0] in block)
    if number > person.checks.get("block", 0):
        kept = setting(person.trial.settings, "lease_seconds", protocol) // 60
        facts |= {"next_block": number, "next": protocol.words.get(left[0].condition, ""), "kept_minutes": kept}
        return Page("humantrials/break.html", facts)
    shown = [
        trial_question(person, slot.item, condition=slot.condition, position=slot.position)
        for slot in left
        if slot in blocks[number]
    ]
    facts |= {"question": shown[0], "questions": shown, "records": protocol.trial_type.records}
    return Page(protocol.trial_type.template, {**facts, "is_last_block": number == len(blocks) - 1})


def blocks_of(slots: Sequence[Slot]) -> list[list[Slot]]:
    """The sheet's slots in order, cut where the condition changes."""
    return [list(block) for _, block in itertools.groupby(slots, key=attrgetter("condition"))]


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
    return Page("humantrials/done.html", {"done": person, "debrief": protocol.debrief, **homecoming(person)})


def _facts(person: Participant, clips: int, *, left: int | None = None) -> dict[str, Any]:
    protocol = find_protocol(person.trial.protocol)
    seconds = protocol.seconds_a_trial * (clips if left is None else left)
    return {
        "clips": clips,
        "minutes": math.ceil(seconds / 60),
        "seconds_a_trial": protocol.seconds_a_trial,
        "instructions": protocol.instructions,
        "has_practice": person.trial.practice_id is not None,
    }


def is_preview(person: Participant) -> bool:
    return person.kind == ParticipantKind.PREVIEW


def is_pilot(person: Participant) -> bool:
    return person.kind == ParticipantKind.PILOT


def is_apart(person: Participant) -> bool:
    """Whoever looks at a sheet without holding it."""
    return is_preview(person) or is_pilot(person)


def options_for(person: Participant, item: Item) -> tuple[Option, ...]:
    """The buttons in this person's order, drawn once; the keys stay where they are."""
    protocol = find_protocol(person.trial.protocol)
    options = protocol.options_for(item)
    if not (protocol.swaps and person.answers_swapped):
        return options
    keys = [option.key for option in options]
    return tuple(replace(option, key=key) for option, key in zip(reversed(options), keys, strict=True))


def trial_question(person: Participant, item: Item, *, condition: str, position: int = 0) -> Question:
    """The question about this item; reads its prefetched media."""
    protocol = find_protocol(person.trial.protocol)
    clips = tuple(_shown(protocol, media) for media in item.media.all()) if protocol.clips > 1 else (Shown(),)
    note = str(protocol.words.get(condition, ""))
    return Question(position, protocol.shown(item.text), options_for(person, item), clips, note)


def _shown(protocol: Protocol, media: ItemMedia) -> Shown:
    """The clip at its place, with the box that the release gives on its middle frame."""
    name = str(protocol.options[media.position].label)
    if "box" not in media.clip.facts:
        return Shown(media.position, name)
    left, top, right, bottom = media.clip.facts["box"]
    width, height = media.clip.facts["box_in"]
    return Shown(media.position, name, (left, top, right - left, bottom - top), (width, height))


def practice_sentence(protocol: Protocol, item: Item) -> str:
    """The item's own question, or the one that its source asks instead."""
    sources = (source for source in protocol.practice if source.kind == item.kind)
    own = next((source.sentence for source in sources if source.sentence), None)
    return str(own) if own else protocol.shown(item.text)


def answered_positions(person: Participant) -> set[int]:
    if is_preview(person):
        return set(range(int(person.step.removeprefix(PREVIEWED)))) if person.step.startswith(PREVIEWED) else set()
    if is_pilot(person):
        return set(person.pilot_answers.values_list("position", flat=True))
    return set(person.judgments.values_list("slot__position", flat=True))


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
