"""Who works on which sheet, and which judgments count: exactly one a slot, whatever happens.

What was not presented does not count (viewing_evidence.py): the sheet is then asked once more, for the slots left open.

Judgments count from the holder's last answer to the sheet on, which finishes it. Answers sent after the sheet went to
somebody else are *surplus*: stored and paid, never counted. Each function runs one short transaction: on SQLite it
takes the write lock when it begins, on PostgreSQL claims skip the sheets that others are claiming.
"""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from benchmarks.leasing import expired, waits
from humantrials.assignment.prepared_queries import ONE, OTHER_WORD, WORD, PreparedInsert, PreparedQuery
from humantrials.assignment.sheets import (
    answers_changed,
    answers_in,
    judged_slots,
    locked,
    make_done,
    make_open,
    make_wanted,
    note,
    prolong,
    slots_of,
    take,
)
from humantrials.errors import BadAnswer
from humantrials.models import (
    RUNNING,
    Judgment,
    Participant,
    ParticipantState,
    Sheet,
    SheetEventKind,
    Slot,
    Trial,
    TrialState,
)
from humantrials.models.participants import completion_code, receipt_code
from humantrials.protocols import find_protocol

# Steps before the first clip; the first are an author's questions.
EARLY_STEPS = ("before", "sound", "instructions", "quiz", "practice")
NOT_YET = "no answer is expected from you: you have not begun, or you are done"
INSERT = PreparedInsert(Judgment)
STATE = PreparedQuery(lambda: Trial.objects.filter(pk=ONE).order_by().values_list("state"), ONE)
SHEET = PreparedQuery(lambda: Sheet.objects.filter(pk=ONE).order_by(), ONE)
CODES = PreparedQuery(
    lambda: Participant.objects.filter(pk=ONE),
    *(ONE, WORD, OTHER_WORD),
    change={
        "state": ParticipantState.FINISHED,
        "finished_at": Now(),
        "completion_code": WORD,
        "repair_at": None,
        "receipt_code": OTHER_WORD,
    },
)


@transaction.atomic
def claim_sheet(*, participant: Participant) -> Sheet | None:
    """Return the participant's sheet, else a free one; None for somebody who never had one, when all are taken.

    Whoever agreed has a sheet to finish, also in a study that is full, paused or closed: as surplus if it is somebody
    else's by then. After the first answer it is the same sheet: another might repeat clips that they have seen.
    """
    person = locked(participant)
    if not person.is_under_way:
        return None
    return person.sheet if prolong(person) else _claimed(person)


def _claimed(person: Participant) -> Sheet | None:
    sheets = Sheet.objects.filter(trial=person.trial_id)
    ((state,),) = STATE.rows(person.trial_id)
    answers = answers_in(person.trial)
    has_begun = bool(person.sheet) and answers.of(person).exists()
    own = person.sheet if has_begun or answers.are_begun_late else None
    if has_begun or state != TrialState.OPEN:
        sheets = sheets.filter(pk=own.pk) if own else sheets.none()
    else:
        sheets = answers.open_to(person, sheets)
    if state not in RUNNING:
        return own
    return take(person, sheets.filter(waits(Sheet))) or take(person, sheets.filter(expired(Sheet))) or own


def next_sheet(newcomer: Participant) -> Sheet | None:
    """The sheet that somebody new would get now; it stays free."""
    sheets = answers_in(newcomer.trial).open_to(newcomer, Sheet.objects.filter(trial=newcomer.trial_id))
    return sheets.filter(waits(Sheet)).first() or sheets.filter(expired(Sheet)).first()


@transaction.atomic
def renew(*, participant: Participant) -> bool:
    """Extend the lease on the person's sheet; False if it is no longer theirs."""
    person = locked(participant)
    Participant.objects.filter(pk=person.pk).update(beats=F("beats") + 1)
    return person.is_under_way and prolong(person)


def record_judgment(*, participant: Participant, position: int, answer: str, records: dict[str, Any]) -> Judgment:
    """Store the answer to one slot of the person's sheet, or return the first answer if the request came twice."""
    slots_of(participant)  # fills the cache before the lock is taken
    with transaction.atomic():
        person = locked(participant)
        slot = next((slot for slot in slots_of(person) if slot.position == position), None)
        if slot is None:
            raise BadAnswer(f"clip {position} is not one of yours")
        judged = judged_slots(person)
        if slot.pk in judged:
            return Judgment.objects.get(participant=person, slot=slot)
        judgment = _store_judgment(person, slot, answer, records)
        if judged.issuperset(other.pk for other in slots_of(person) if other != slot):
            finish_held(person, is_held=not judgment.is_surplus)
        return judgment


def _store_judgment(person: Participant, slot: Slot, answer: str, records: dict[str, Any]) -> Judgment:
    """Store a new answer, or raise BadAnswer if none is expected or it is not an option."""
    if not person.is_under_way or person.step in EARLY_STEPS:
        raise BadAnswer(NOT_YET)
    if not find_protocol(person.trial.protocol).player.accepts(answer, slot.item):
        raise BadAnswer(f"{answer[:40]!r} is not one of the answers")
    judgment = Judgment(
        trial=person.trial,
        slot=slot,
        participant=person,
        item_id=slot.item_id,
        epoch=person.epoch,
        answer=answer,
        raw=answer,
        is_surplus=not prolong(person),
        **records,
    )
    INSERT.store(judgment)
    return judgment


def finish_if_complete(person: Participant) -> Participant:
    """Finish the sheet if no answer is missing, in the transaction that stores the last one; see `finish_held`."""
    if not person.is_under_way or answers_in(person.trial).missing(person):
        return person
    finish_held(person, is_held=prolong(person))
    return locked(person)


def finish_held(person: Participant, *, is_held: bool) -> None:
    """Finish the sheet that the last answer completes: no other page may ever be loaded.

    `person` was read under the lock. A lost sheet that is free again is theirs again.
    """
    if not is_held:
        claim_sheet(participant=person)
        person = locked(person)
    _finish(person)


@transaction.atomic
def finish_sheet(*, participant: Participant) -> Participant:
    """Finish the sheet; what was seen counts if the person still holds it. Finishing twice changes nothing."""
    person = locked(participant)
    if person.has_finished:
        return person
    if not person.is_under_way or person.sheet_id is None:
        raise BadAnswer("there is no sheet to finish")
    if missing := answers_in(person.trial).missing(person):
        raise BadAnswer(f"{missing} answers are still missing")
    _finish(person)
    return locked(person)


def _finish(person: Participant) -> None:
    """Finish the sheet of this person, who was read under the lock and has answered everything."""
    (sheet,) = SHEET.models(person.sheet_id or 0)
    if make_done(person):
        is_filled = answers_in(person.trial).make_counted(person, sheet)
        answers_changed(person.trial_id)
        answers_in(person.trial).have_changed(sheet)
        note(sheet, person.epoch, SheetEventKind.FINISHED)
        if not is_filled:
            make_wanted(sheet, SheetEventKind.UNSEEN)
    else:
        note(sheet, person.epoch, SheetEventKind.FINISHED_LATE)
    CODES.update(person.pk, person.completion_code or completion_code(), person.receipt_code or receipt_code())


@transaction.atomic
def reopen(*, sheet: Sheet, why: SheetEventKind) -> None:
    """Take the sheet from its holder or finisher: their answers stop counting, and it is wanted again."""
    if sheet.holder_id:
        locked(Participant(pk=sheet.holder_id))
    make_open(Sheet.objects.select_for_update().get(pk=sheet.pk), why)
