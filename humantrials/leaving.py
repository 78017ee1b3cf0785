"""How a person leaves before or after the end: by declining, by being excluded, by withdrawing what they gave."""

from django.db import transaction

from accounts.models import User
from humantrials.codes import completion_code
from humantrials.given import discount, erase
from humantrials.identities import forget
from humantrials.leases import locked, make_open
from humantrials.models import Participant, ParticipantKind, ParticipantState, Sheet, TrialEvent


@transaction.atomic
def decline(*, participant: Participant) -> None:
    """No consent: the sheet is free for the next person at once."""
    person = locked(participant)
    if person.state == ParticipantState.ARRIVED:
        forget(participant=person)
        _free_sheet(person, "declined")
        _become(person, ParticipantState.DECLINED)


@transaction.atomic
def stop(*, participant: Participant) -> None:
    """Keep what was answered so far, which alone counts for nothing. The sheet is wanted again, and the code given."""
    person = locked(participant)
    if person.state == ParticipantState.CONSENTED:
        _free_sheet(person, "stopped")
        _give_code(person)
        _become(person, ParticipantState.STOPPED)


@transaction.atomic
def screen_out(*, participant: Participant) -> None:
    """The study does not fit the person, who saw no clip of it: the sheet is free, and there is a code all the same."""
    person = locked(participant)
    if person.state == ParticipantState.CONSENTED:
        if person.kind != ParticipantKind.PILOT:
            _free_sheet(person, "screened out")
        _give_code(person)
        _become(person, ParticipantState.SCREENED)


@transaction.atomic
def exclude(*, participant: Participant, why: str = "", by: User | None = None) -> None:
    """Keep the person's judgments and count none of them; their sheet is wanted again."""
    person = locked(participant)
    if person.state in (ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED):
        return
    discount(person)
    _free_sheet(person, "excluded")
    Participant.objects.filter(pk=person.pk).update(excluded_why=why)
    TrialEvent.objects.create(trial_id=person.trial_id, kind="excluded", note=f"{person.code}: {why}"[:300], by=by)
    _become(person, ParticipantState.EXCLUDED)


@transaction.atomic
def withdraw(*, participant: Participant) -> None:
    """Erase the person's answers, what a panel told about them and what led to their sheet, which is wanted again.

    What stays: that somebody with this code agreed to this consent and withdrew, the codes, and that they are not to be
    asked again.
    """
    person = locked(participant)
    erase(person)
    forget(participant=person)
    if person.state == ParticipantState.CONSENTED:
        _give_code(person)
    _free_sheet(person, "withdrawn")
    person.holdings.update(holder=None)
    Participant.objects.filter(pk=person.pk).update(sheet=None, epoch=0, step="", checks={}, excluded_why="")
    _become(person, ParticipantState.WITHDRAWN)


def participant_of_receipt(typed: str) -> Participant | None:
    """Whose receipt this is, however it was typed: small letters, without hyphens, with spaces."""
    letters = "".join(letter for letter in typed.upper() if letter.isalnum())[:40]
    code = "-".join(letters[start : start + 5] for start in range(0, len(letters), 5))
    return Participant.objects.select_related("trial").filter(receipt_code=code).first() if code else None


def _free_sheet(person: Participant, why: str) -> None:
    sheet = Sheet.objects.select_for_update().filter(holder=person).first()
    if sheet:
        make_open(sheet, why)


def _give_code(person: Participant) -> None:
    """Whoever goes leaves with a code, whatever they answered."""
    code = person.completion_code or completion_code()
    Participant.objects.filter(pk=person.pk).update(completion_code=code)


def _become(person: Participant, state: str) -> None:
    Participant.objects.filter(pk=person.pk).update(state=state)
