"""Answers on a sheet: judgments of slots, or what another kind of study stores."""

from datetime import datetime
from functools import lru_cache

from django.db.models import Count, Q, QuerySet

from humantrials.assignment.prepared_queries import ONE, TWO, PreparedQuery
from humantrials.assignment.viewing_evidence import doubts_of_one
from humantrials.kinds import kind_of
from humantrials.models import Judgment, Participant, Sheet, Slot, Trial

JUDGED = PreparedQuery(lambda: Judgment.objects.filter(participant=ONE).order_by().values_list("slot"), ONE)
COUNTED = PreparedQuery(
    lambda: Judgment.objects.filter(slot__sheet=ONE, participant=TWO),
    *(ONE, TWO),
    change={"counts": True, "is_surplus": False},
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
        if not unseen and person.epoch == 1:
            COUNTED.update(sheet.pk, person.pk)
            return True
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


def make_surplus(sheet: Sheet, holder: int | None) -> None:
    """The answers of this holder, who has lost the sheet, stop counting."""
    answers_in(sheet.trial).on(sheet).filter(participant=holder).update(counts=False, is_surplus=True)


def make_live(person: Participant, sheet: Sheet) -> None:
    """Make the person's earlier answers countable again, now that the sheet is theirs again."""
    answers_in(sheet.trial).on(sheet).filter(participant=person).update(is_surplus=False)


def judged_slots(person: Participant) -> set[int]:
    """The keys of the slots that the person has judged."""
    return {slot for (slot,) in JUDGED.rows(person.pk)}


def missing_slots(person: Participant) -> list[Slot]:
    """The slots of the person's sheet that they have not judged, in order."""
    judged = judged_slots(person)
    return [slot for slot in slots_of(person) if slot.pk not in judged]


SHEETS = 128  # sheets cached per process


def slots_of(person: Participant) -> tuple[Slot, ...]:
    """The slots of the person's sheet in order, with their items; empty without a sheet."""
    return _slots(person.trial_id, person.trial.created_at, person.sheet_id) if person.sheet_id else ()


@lru_cache(maxsize=SHEETS)
def _slots(trial: int, made_at: datetime, sheet: int) -> tuple[Slot, ...]:
    """Cached slots; `made_at` distinguishes trials of different databases that share a number."""
    return tuple(Slot.objects.select_related("item").filter(trial=trial, sheet=sheet))
