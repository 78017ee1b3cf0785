"""The right to work on a sheet: `holder`, `lease_until`, and `epoch`, which every change of hands raises.

A participant keeps the epoch at which the sheet was given to them; where the two differ the sheet is lost. All clocks
are the database's. Rows are locked in one order, participant, sheet, trial, so that nobody waits in a circle.
"""

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now

from humantrials.models import Holding, Judgment, Participant, ParticipantState, Sheet, SheetEvent, SheetState, Trial
from humantrials.protocols import find_protocol
from humantrials.trial_settings import setting

OPEN = Q(state=SheetState.OPEN)
EXPIRED = Q(state=SheetState.LEASED, lease_until__lt=Now())
FRESH = 0.01  # share of a lease: so soon after a sign of life another one need not be written


def locked(participant: Participant) -> Participant:
    """The person's row, read again, with the trial as it was known; two tabs of one person wait for each other here."""
    person = Participant.objects.select_for_update().get(pk=participant.pk)
    trial = Participant._meta.get_field("trial")
    if trial.is_cached(participant):
        trial.set_cached_value(person, participant.trial)
    return person


def held(person: Participant) -> QuerySet[Sheet]:
    """The person's sheet as long as nobody else got it, even when its lease has run out.

    Plain columns only: where PostgreSQL waits for a row it looks again at these, but not into joins and subqueries.
    """
    return Sheet.objects.filter(pk=person.sheet_id or 0, holder=person.pk, epoch=person.epoch, state=SheetState.LEASED)


def prolong(person: Participant) -> bool:
    """Keep the sheet for another lease; False when it is theirs no more."""
    return bool(person.sheet_id and held(person).update(lease_until=lease_end(person)))


def is_fresh(person: Participant) -> bool:
    """Whether the sheet is theirs and was kept for another lease a moment ago; answers without writing."""
    almost_a_lease = lease_end(person, share=1 - FRESH)
    return bool(person.sheet_id) and held(person).filter(lease_until__gt=almost_a_lease).exists()


def lease_end(person: Participant, *, share: float = 1.0) -> ExpressionWrapper:
    """Longer after the consent than before: whoever only reads it should not keep a place for half an hour."""
    protocol = find_protocol(person.trial.protocol)
    seconds = setting(person.trial.settings, "lease_seconds", protocol)
    if person.state == ParticipantState.ARRIVED:
        seconds = min(seconds, protocol.consent_seconds)
    return ExpressionWrapper(Now() + timedelta(seconds=share * seconds), output_field=DateTimeField())


def take(person: Participant, sheets: QuerySet[Sheet]) -> Sheet | None:
    """Lease the first of these sheets that nobody else is taking; the epoch settles what locks can't."""
    sheet = sheets.select_for_update(skip_locked=True).order_by("order").first()
    if sheet is None:
        return None
    free, epoch = Sheet.objects.filter(OPEN | EXPIRED, pk=sheet.pk, epoch=sheet.epoch), sheet.epoch + 1
    if not free.update(state=SheetState.LEASED, holder=person.pk, epoch=epoch, lease_until=lease_end(person)):
        return None
    make_surplus(sheet)
    person.judgments.filter(slot__sheet=sheet).update(is_surplus=False)
    Holding.objects.create(sheet=sheet, epoch=epoch, holder=person)
    note(sheet, epoch, "taken over" if sheet.state == SheetState.LEASED else "claimed")
    Participant.objects.filter(pk=person.pk).update(sheet=sheet, epoch=epoch)
    sheet.epoch = epoch
    return sheet


def make_open(sheet: Sheet, why: str) -> None:
    """Fence off whoever holds the sheet: what they answered is surplus, and the sheet is wanted again."""
    make_surplus(sheet)
    Sheet.objects.filter(pk=sheet.pk).update(state=SheetState.OPEN, holder=None, lease_until=None, epoch=F("epoch") + 1)
    note(sheet, sheet.epoch + 1, why)
    if sheet.state == SheetState.DONE:
        answers_changed(sheet.trial_id)


def make_surplus(sheet: Sheet) -> None:
    Judgment.objects.filter(slot__sheet=sheet).update(counts=False, is_surplus=True)


def note(sheet: Sheet, epoch: int, kind: str) -> None:
    """Append what happened; never an answer, never who."""
    SheetEvent.objects.create(sheet=sheet, epoch=epoch, kind=kind)


def answers_changed(trial_id: int) -> None:
    """Counted answers came or went: standings made before are stale."""
    Trial.objects.filter(pk=trial_id).update(answers_version=F("answers_version") + 1)
