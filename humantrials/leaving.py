"""How a person leaves before or after the end: by declining, by being excluded, by withdrawing what they gave."""

from django.db import transaction

from humantrials.identities import forget
from humantrials.leases import locked, make_open
from humantrials.models import Participant, ParticipantState, Sheet


@transaction.atomic
def decline(*, participant: Participant) -> None:
    """No consent: the sheet is free for the next person at once."""
    person = locked(participant)
    if person.state == ParticipantState.ARRIVED:
        forget(participant=person)
        _free_sheet(person, "declined")
        _become(person, ParticipantState.DECLINED)


@transaction.atomic
def exclude(*, participant: Participant) -> None:
    """Keep the person's judgments and count none of them; their sheet is wanted again."""
    person = locked(participant)
    person.judgments.update(counts=False, is_surplus=True)
    _free_sheet(person, "excluded")
    _become(person, ParticipantState.EXCLUDED)


@transaction.atomic
def withdraw(*, participant: Participant) -> None:
    """Erase the person's answers and what a panel told about them; their sheet is wanted again."""
    person = locked(participant)
    person.judgments.all().delete()
    person.pilot_answers.all().delete()
    forget(participant=person)
    _free_sheet(person, "withdrawn")
    _become(person, ParticipantState.WITHDRAWN)


def _free_sheet(person: Participant, why: str) -> None:
    sheet = Sheet.objects.select_for_update().filter(holder=person).first()
    if sheet:
        make_open(sheet, why)


def _become(person: Participant, state: str) -> None:
    Participant.objects.filter(pk=person.pk).update(state=state)
