"""The lease on a sheet (benchmarks/leasing.py): what happens to answers when it changes hands.

A participant stores the epoch at which they got the sheet; if the two differ, the sheet is lost. Rows are locked in one
order (participant, sheet, trial) to avoid deadlocks.
"""

from functools import cache

from django.db.models import F, Q, QuerySet

from benchmarks import leasing
from humantrials.assignment.answers import answers_in, make_live, make_surplus
from humantrials.assignment.prepared_queries import FOUR, ONE, THREE, TWO, PreparedInsert, PreparedQuery
from humantrials.models import Holding, Participant, Sheet, SheetEvent, SheetEventKind, SheetState, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import setting

FRESH = 0.01  # share of a lease within which a second heartbeat is not written


LOCKED = PreparedQuery(lambda: Participant.objects.select_for_update().filter(pk=ONE), ONE)
EVENT, HOLDING = PreparedInsert(SheetEvent), PreparedInsert(Holding)
GIVEN = PreparedQuery(
    lambda: Participant.objects.filter(pk=ONE), *(ONE, TWO, THREE), change={"sheet": TWO, "epoch": THREE}
)
CHANGED = PreparedQuery(lambda: Trial.objects.filter(pk=ONE), ONE, change={"answers_version": F("answers_version") + 1})


def locked(participant: Participant) -> Participant:
    """The person's row, read again under a lock, with the cached trial; two tabs of one person wait here."""
    (person,) = LOCKED.models(participant.pk)
    trial = Participant._meta.get_field("trial")
    if trial.is_cached(participant):
        trial.set_cached_value(person, participant.trial)
    return person


def _held() -> QuerySet[Sheet]:
    """The sheet ONE that the holder TWO has since the epoch THREE."""
    return leasing.held(Sheet, ONE, THREE).filter(holder=TWO)


def at_work() -> Q:
    """People who hold a sheet whose lease is running."""
    return Q(sheet__holder=F("pk"), sheet__epoch=F("epoch")) & leasing.running(Sheet, "sheet__")


def _lease(person: Participant) -> tuple[int, int, int]:
    return person.sheet_id or 0, person.pk, person.epoch


def prolong(person: Participant) -> bool:
    """Extend the lease on the sheet; False if it is no longer theirs."""
    return bool(person.sheet_id and _prolonging(lease_seconds(person)).update(*_lease(person)))


def is_fresh(person: Participant) -> bool:
    """Whether the person holds the sheet and its lease was extended a moment ago; writes nothing."""
    return bool(person.sheet_id and _freshness(lease_seconds(person)).rows(*_lease(person)))


DONE = PreparedQuery(_held, ONE, TWO, THREE, change=leasing.ended(SheetState.DONE))


def make_done(person: Participant) -> bool:
    """Mark the person's sheet as done; False if it is no longer theirs."""
    return bool(DONE.update(*_lease(person)))


@cache
def _prolonging(seconds: int) -> PreparedQuery:
    return PreparedQuery(_held, ONE, TWO, THREE, change=leasing.renewed(seconds))


@cache
def _freshness(seconds: int) -> PreparedQuery:
    almost_a_lease = (1 - FRESH) * seconds
    return PreparedQuery(
        lambda: _held().filter(leasing.running(Sheet, seconds=almost_a_lease)).values_list("pk"), ONE, TWO, THREE
    )


def lease_seconds(person: Participant) -> int:
    """The length of the person's lease."""
    return int(setting(person.trial.settings, "lease_seconds", find_protocol(person.trial.protocol)))


def take(person: Participant, sheets: QuerySet[Sheet]) -> Sheet | None:
    """Lease the first of these free sheets that nobody else is taking; the epoch guards what locks can't."""
    sheet = leasing.first_unlocked(sheets)  # in their order
    if sheet is None:
        return None
    epoch = sheet.epoch + 1
    if not _taking(lease_seconds(person)).update(sheet.pk, sheet.epoch, person.pk, epoch):
        return None
    sheet.trial = person.trial
    if sheet.epoch:  # somebody held it before
        make_surplus(sheet, sheet.holder_id)
        make_live(person, sheet)
    HOLDING.store(Holding(sheet=sheet, epoch=epoch, holder=person))
    note(sheet, epoch, SheetEventKind.TAKEN_OVER if sheet.state == SheetState.LEASED else SheetEventKind.CLAIMED)
    GIVEN.update(person.pk, sheet.pk, epoch)
    sheet.epoch = epoch
    return sheet


@cache
def _taking(seconds: int) -> PreparedQuery:
    """Gives a free sheet to a person: sheet and its epoch, the person and their epoch."""
    return PreparedQuery(
        lambda: leasing.claimable(Sheet, ONE, TWO),
        *(ONE, TWO, THREE, FOUR),
        change={"holder": THREE, **leasing.taken(Sheet, epoch=FOUR, seconds=seconds)},
    )


def make_open(sheet: Sheet, why: SheetEventKind) -> None:
    """Take the sheet from its holder: their answers become surplus, and the sheet is wanted again."""
    make_surplus(sheet, sheet.holder_id)
    make_wanted(sheet, why)
    if sheet.state == SheetState.DONE:
        answers_changed(sheet.trial_id)
        answers_in(sheet.trial).have_changed(sheet)


def make_wanted(sheet: Sheet, why: SheetEventKind) -> None:
    """Open the sheet to the next person; answers to it that count go on counting."""
    leasing.revoke(Sheet.objects.filter(pk=sheet.pk), SheetState.OPEN, holder=None)
    note(sheet, sheet.epoch + 1, why)


def note(sheet: Sheet, epoch: int, kind: SheetEventKind, number: int | None = None) -> None:
    """Append an event to the sheet; it names no answer and no person."""
    EVENT.store(SheetEvent(sheet=sheet, epoch=epoch, kind=kind.format(number)))


def answers_changed(trial_id: int) -> None:
    """Raise the version after a change of counted answers, so that older standings are stale."""
    CHANGED.update(trial_id)
