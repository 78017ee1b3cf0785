"""A sheet: the answers to it, and the lease that one participant has on it (benchmarks/leasing.py).

Answers are judgments of slots, or what another kind of study stores. A participant stores the epoch at which they got
the sheet; if the two differ, the sheet is lost. Rows are locked in one order (participant, sheet, trial) to avoid
deadlocks.
"""

from datetime import datetime
from functools import cache, lru_cache

from django.db.models import Count, F, Q, QuerySet

from benchmarks import leasing
from humantrials.assignment.prepared_queries import FOUR, ONE, THREE, TWO, PreparedInsert, PreparedQuery
from humantrials.assignment.viewing_evidence import doubts_of_one
from humantrials.kinds import kind_of
from humantrials.models import (
    Holding,
    Judgment,
    Participant,
    Sheet,
    SheetEvent,
    SheetEventKind,
    SheetState,
    Slot,
    Trial,
)
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import setting

JUDGED = PreparedQuery(lambda: Judgment.objects.filter(participant=ONE).order_by().values_list("slot"), ONE)
COUNTED = PreparedQuery(
    lambda: Judgment.objects.filter(slot__sheet=ONE, participant=TWO), *(ONE, TWO), change={"counts": True}
)


class SlotAnswers:
    """Judgments of slots. A subclass handles the sheets of another kind of study."""

    relation = "judgments"  # related name on a participant
    places = "slots"  # related name of what is asked on a sheet and in a trial
    before = ""  # related name of work before the first sheet, on a participant
    are_judgments = True  # of items, whose clips the server sends and whose pages say what they showed
    are_sent_again = True  # the page's outbox resends answers that did not get through
    are_begun_late = True  # whoever agreed may begin a sheet that is somebody else's by then

    def of(self, person: Participant) -> QuerySet:
        """All answers of the person."""
        return getattr(person, self.relation).all()

    def on(self, sheet: Sheet) -> QuerySet:
        """All answers to the sheet, by anybody."""
        return Judgment.objects.filter(slot__sheet=sheet)

    def in_trial(self, trial: Trial) -> QuerySet:
        """All answers in the trial."""
        return trial.judgments.all()

    def count(self, **only: object) -> Count:
        """A Count of answers to annotate participants with; `only` filters the answers."""
        wanted = Q(**{f"{self.relation}__{name}": value for name, value in only.items()})
        return Count(self.relation, filter=wanted or None, distinct=True)

    def missing(self, person: Participant) -> int:
        """The number of answers that the person's sheet still lacks."""
        return len(missing_slots(person))

    def make_counted(self, person: Participant, sheet: Sheet) -> bool:
        """Let the person's answers to the sheet count; returns whether each slot now has one that counts.

        Not those whose clip was not presented, nor where another one counts since an earlier holder finished.
        """
        unseen = doubts_of_one(person)
        if person.epoch == 1:
            COUNTED.update(sheet.pk, person.pk)
            if unseen:
                Judgment.objects.filter(pk__in=unseen).update(counts=False)
            return not unseen
        slots = Slot.objects.filter(sheet=sheet)
        own = Judgment.objects.filter(participant=person, slot__in=slots)
        filled = list(slots.filter(judgments__counts=True).values_list("pk", flat=True))
        own.filter(slot__in=filled).update(is_surplus=True)
        own.exclude(slot__in=filled).exclude(pk__in=unseen).update(counts=True, is_surplus=False)
        return not slots.exclude(judgments__counts=True).exists()

    def open_to(self, person: Participant, sheets: QuerySet[Sheet]) -> QuerySet[Sheet]:
        """The sheets that the person may get."""
        return sheets

    def have_changed(self, sheet: Sheet) -> None:
        """Called when answers to the sheet start or stop counting."""

    def erase(self, person: Participant) -> None:
        tables = (person.judgments, person.pilot_answers, person.attention_answers, person.follow_ups)
        for rows in (*tables, person.clip_fetches):
            rows.all().delete()


def answers_in(trial: Trial) -> SlotAnswers:
    """The kind of answers that this trial collects."""
    return kind_of(trial).answers


def make_surplus(sheet: Sheet) -> None:
    """The answers of the holder, who has lost the sheet, stop counting."""
    answers_in(sheet.trial).on(sheet).filter(participant=sheet.holder_id).update(counts=False, is_surplus=True)


def judged_slots(person: Participant) -> set[int]:
    """The keys of the slots that the person has judged."""
    return {slot for (slot,) in JUDGED.rows(person.pk)}


def missing_slots(person: Participant) -> list[Slot]:
    """The slots of the person's sheet that they have not judged, in order."""
    judged = judged_slots(person)
    return [slot for slot in slots_of(person) if slot.pk not in judged]


def slots_of(person: Participant) -> tuple[Slot, ...]:
    """The slots of the person's sheet in order, with their items; empty without a sheet."""
    return _slots(person.trial_id, person.trial.created_at, person.sheet_id) if person.sheet_id else ()


@lru_cache(maxsize=128)  # sheets
def _slots(trial: int, made_at: datetime, sheet: int) -> tuple[Slot, ...]:
    """Cached slots; `made_at` distinguishes trials of different databases that share a number."""
    return tuple(Slot.objects.select_related("item").filter(trial=trial, sheet=sheet))


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
        make_surplus(sheet)
        answers_in(sheet.trial).on(sheet).filter(participant=person).update(is_surplus=False)  # it may be theirs again
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
    make_surplus(sheet)
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
