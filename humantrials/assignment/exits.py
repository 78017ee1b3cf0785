"""How a participant leaves: by stopping, being screened out or excluded, withdrawing, or with answers on their way.

A sheet whose answers don't get through is marked for repair and does not count yet. It stays the person's while its
lease runs, counts once the missing answers arrive, and goes to somebody else if they do not.
"""

from django.db import transaction
from django.db.models.functions import Now

from accounts.models import User
from humantrials.assignment.claims import EARLY_STEPS
from humantrials.assignment.sheets import answers_changed, answers_in, locked, make_open, make_wanted, note
from humantrials.identities import forget
from humantrials.models import Participant, ParticipantState, Sheet, SheetEventKind, SheetState, TrialEvent
from humantrials.models.participants import partial_code

SCREENED_OUT, WITHDRAWN, ROUND = "SCREENED-OUT", "WITHDRAWN", "ROUND"  # prefixes of codes besides the share done


@transaction.atomic
def stop(*, participant: Participant) -> None:
    """Stop early: the answers stay but do not count, the sheet is wanted again, and the person gets a code."""
    person = locked(participant)
    if person.is_under_way:
        _free_sheet(person, SheetEventKind.STOPPED)
        give_code(person, share_done(person))
        _become(person, ParticipantState.STOPPED)


@transaction.atomic
def screen_out(*, participant: Participant) -> None:
    """Screen out a person who saw no clip yet: the sheet is free, and the person still gets a code."""
    person = locked(participant)
    if person.is_under_way:
        if not person.is_pilot:
            _free_sheet(person, SheetEventKind.SCREENED_OUT)
        give_code(person, SCREENED_OUT)
        _become(person, ParticipantState.SCREENED)


@transaction.atomic
def exclude(*, participant: Participant, why: str = "", by: User | None = None) -> None:
    """Exclude the person: their judgments stay but stop counting, and their sheet is wanted again."""
    person = locked(participant)
    if person.state in (ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED):
        return
    _free_sheet(person, SheetEventKind.EXCLUDED)
    answers_in(person.trial).of(person).update(counts=False, is_surplus=True)
    Participant.objects.filter(pk=person.pk).update(excluded_why=why)
    TrialEvent.objects.create(trial_id=person.trial_id, kind="excluded", note=f"{person.code}: {why}"[:300], by=by)
    _become(person, ParticipantState.EXCLUDED)


@transaction.atomic
def withdraw(*, participant: Participant) -> None:
    """Erase the person's answers, what the panel sent about them and their link to the sheet, which is wanted again.

    The codes, the record of consent and withdrawal, and the digest that keeps the person from taking part again stay.
    """
    person = locked(participant)
    _free_sheet(person, SheetEventKind.WITHDRAWN)
    answers_in(person.trial).erase(person)
    person.questionnaire_answers.all().delete()
    forget(participant=person)
    if person.is_under_way and not person.own_code:
        give_code(person, WITHDRAWN)
    person.holdings.update(holder=None)
    Participant.objects.filter(pk=person.pk).update(
        sheet=None, epoch=0, step="", checks={}, excluded_why="", clips_sent_at=None, traces=None, beats=0
    )
    _become(person, ParticipantState.WITHDRAWN)


def give_code(person: Participant, done: str) -> None:
    """Give a code that says what the person did, unless they have a completion code."""
    code = partial_code(done, person.partial_code)
    if not person.completion_code and code != person.partial_code:
        Participant.objects.filter(pk=person.pk).update(partial_code=code)


def share_done(person: Participant) -> str:
    """Prefix of the code for part of a sheet: the share of its answers that are stored, in per cent, rounded down."""
    answers = answers_in(person.trial)
    stored, missing = answers.of(person).count(), answers.missing(person)
    return f"PARTIAL-{100 * stored // max(1, stored + missing)}"


def _free_sheet(person: Participant, why: SheetEventKind) -> None:
    """Open the sheet that the person holds, and one that others completed to which their answers are missing now."""
    sheets = Sheet.objects.select_for_update()
    if sheet := sheets.filter(holder=person).first():
        make_open(sheet, why)
    elif answers_in(person.trial).of(person).filter(counts=True).exists():
        answers_changed(person.trial_id)
        if shared := sheets.filter(given_to=person, state=SheetState.DONE).first():
            make_wanted(shared, why)


def _become(person: Participant, state: str) -> None:
    Participant.objects.filter(pk=person.pk).update(state=state)


@transaction.atomic
def mark_for_repair(*, participant: Participant) -> Participant:
    """Mark the unfinished sheet for repair and give a code with the share that is stored.

    Safe to call twice; the share in the code follows the answers that arrived since.
    """
    person = locked(participant)
    if person.is_apart or not person.is_under_way or person.step in EARLY_STEPS:
        return person
    if person.sheet is None or not answers_in(person.trial).are_sent_again:
        return person
    if person.repair_at is None:
        Participant.objects.filter(pk=person.pk).update(repair_at=Now())
        note(person.sheet, person.epoch, SheetEventKind.TO_REPAIR)
    give_code(person, share_done(person))
    person.refresh_from_db()
    return person
