"""What a sheet asks, read once a process: its slots and their items never change."""

from datetime import datetime
from functools import lru_cache

from humantrials.models import Participant, Slot

SHEETS = 128  # kept at a time


def slots_of(person: Participant) -> tuple[Slot, ...]:
    """The slots of the person's sheet in order, with their items; none where they have no sheet."""
    return _slots(person.trial_id, person.trial.created_at, person.sheet_id) if person.sheet_id else ()


@lru_cache(maxsize=SHEETS)
def _slots(trial: int, made_at: datetime, sheet: int) -> tuple[Slot, ...]:
    """The moment at which the trial was made tells it from one of the same number in another database."""
    return tuple(Slot.objects.select_related("item").filter(trial=trial, sheet=sheet))
