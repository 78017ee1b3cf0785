"""The right to work on a sheet: `holder`, `lease_until`, and `epoch`, which every change of hands raises.

A participant keeps the epoch at which the sheet was given to them; where the two differ the sheet is lost. All clocks
are the database's. Rows are locked in one order, participant, sheet, trial, so that nobody waits in a circle.
"""

from datetime import datetime, timedelta
from functools import cache

from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now

from humantrials.given import have_changed, make_live, make_surplus
from humantrials.models import Holding, Participant, ParticipantState, Sheet, SheetEvent, SheetState, Trial
from humantrials.prepared import ONE, THREE, TWO, Prepared
from humantrials.protocols import find_protocol
from humantrials.trial_settings import setting

OPEN = Q(state=SheetState.OPEN)
EXPIRED = Q(state=SheetState.LEASED, lease_until__lt=Now())
FRESH = 0.01  # share of a lease: so soon after a sign of life another one need not be written


LOCKED = Prepared(lambda: Participant.objects.select_for_update().filter(pk=ONE), ONE)


def locked(participant: Participant) -> Participant:
    """The person's row, read again, with the trial as it was known; two tabs of one person wait for each other here."""
    (person,) = LOCKED.models(Participant, participant.pk)
    trial = Participant._meta.get_field("trial")
    if trial.is_cached(participant):
        trial.set_cached_value(person, participant.trial)
    return person


def held(person: Participant) -> QuerySet[Sheet]:
    """The person's sheet as long as nobody else got it, even when its lease has run out.

    Plain columns only: where PostgreSQL waits for a row it looks again at these, but not into joins and subqueries.
    """
    return _held(*_lease(person))


def _held(sheet: int, holder: int, epoch: int) -> QuerySet[Sheet]:
    return Sheet.objects.filter(pk=sheet, holder=holder, epoch=epoch, state=SheetState.LEASED)


def _lease(person: Participant) -> tuple[int, int, int]:
    return person.sheet_id or 0, person.pk, person.epoch


def prolong(person: Participant) -> bool:
    """Keep the sheet for another lease; False when it is theirs no more."""
    return bool(person.sheet_id and _prolonging(lease_seconds(person)).update(*_lease(person)))


def is_fresh(person: Participant) -> bool:
    """Whether the sheet is theirs and was kept for another lease a moment ago; answers without writing."""
    return bool(person.sheet_id and _freshness(lease_seconds(person)).rows(*_lease(person)))


@cache
def _prolonging(seconds: int) -> Prepared:
    return Prepared(lambda: _held(ONE, TWO, THREE), ONE, TWO, THREE, change={"lease_until": lease_end(seconds)})


@cache
def _freshness(seconds: int) -> Prepared:
    almost_a_lease = lease_end((1 - FRESH) * seconds)
    return Prepared(
        lambda: _held(ONE, TWO, THREE).filter(lease_until__gt=almost_a_lease).values_list("pk"), ONE, TWO, THREE
    )


def lease_seconds(person: Participant) -> int:
    """Longer after the consent than before: whoever only reads it should not keep a place for half an hour."""
    protocol = find_protocol(person.trial.protocol)
    seconds = setting(person.trial.settings, "lease_seconds", protocol)
    return min(seconds, protocol.consent_seconds) if person.state == ParticipantState.ARRIVED else seconds


def lease_end(seconds: float) -> ExpressionWrapper:
    """The moment so long from now, by the database's clock."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def stand_still(since: datetime) -> int:
    """Give every lease that had not run out then the time that has passed since; how many there were."""
    held = Sheet.objects.filter(state=SheetState.LEASED, lease_until__gte=since)
    missed = ExpressionWrapper(F("lease_until") + (Now() - since), output_field=DateTimeField())
    return held.update(lease_until=missed)


def take(person: Participant, sheets: QuerySet[Sheet]) -> Sheet | None:
    """Lease the first of these sheets that nobody else is taking; the epoch settles what locks can't."""
    sheet = sheets.select_for_update(skip_locked=True).order_by("order").first()
    if sheet is None:
        return None
    free, epoch = Sheet.objects.filter(OPEN | EXPIRED, pk=sheet.pk, epoch=sheet.epoch), sheet.epoch + 1
    if not free.update(
        state=SheetState.LEASED, holder=person.pk, epoch=epoch, lease_until=lease_end(lease_seconds(person))
    ):
        return None
    make_surplus(sheet)
    make_live(person, sheet)
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
        have_changed(sheet)


def note(sheet: Sheet, epoch: int, kind: str) -> None:
    """Append what happened; never an answer, never who."""
    SheetEvent.objects.create(sheet=sheet, epoch=epoch, kind=kind)


def answers_changed(trial_id: int) -> None:
    """Counted answers came or went: standings made before are stale."""
    Trial.objects.filter(pk=trial_id).update(answers_version=F("answers_version") + 1)
