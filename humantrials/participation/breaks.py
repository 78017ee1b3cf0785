"""Breaks on participants' pages: each begins when its page is first shown, and ends with a press after a minimum."""

import math
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from benchmarks import leasing
from humantrials.assignment.leases import locked, note
from humantrials.judging.attention_checks import SheetQuestion
from humantrials.models import Participant, ParticipantKind, ParticipantState, SheetEventKind
from humantrials.participation.entering.screening import note_check
from humantrials.participation.page import ParticipantPage
from humantrials.participation.progress import is_apart
from humantrials.planning.breaks import limits_of
from humantrials.protocols import find_protocol
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
    is_next = person.state == ParticipantState.CONSENTED and block == str(person.checks.get(BLOCK, 0) + 1)
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
    if person.sheet and not is_apart(person):
        note(person.sheet, person.epoch, kind, number)
