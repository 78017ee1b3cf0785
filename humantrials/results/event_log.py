"""Everything that happened in a trial, in order: what was done to it, to its sheets, and how far people came."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from operator import itemgetter
from typing import Any

from humantrials.models import ClipFetch, SheetEvent, Trial
from humantrials.running.attrition import TAKING_PART

EVENTS = {
    "seconds": "time since the first event of the study",
    "what": "study, sheet, person, or clip requested for the first time",
    "event": "what happened",
    "participant": "number of the person, where it concerns one",
    "sheet": "number of the sheet, from 0, where it concerns one",
    "epoch": "how often the sheet had changed hands",
    "item": "public id of the item of a requested clip",
}
MILESTONES = {"created_at": "arrived", "consented_at": "agreed", "repair_at": "to repair", "finished_at": "finished"}


def event_rows(trial: Trial, names: Mapping[int, str]) -> Iterator[tuple[Any, ...]]:
    """Yield the header, then the events by time; notes of authors, which may name people, are left out."""
    yield tuple(EVENTS)
    found = sorted((*_of_study(trial), *_of_sheets(trial), *_of_people(trial, names)), key=itemgetter(0))
    for at, *rest in found:
        yield (round((at - found[0][0]).total_seconds(), 3), *rest)


Happening = tuple[datetime, str, str, str, int | None, int | None, str]


def _of_study(trial: Trial) -> Iterator[Happening]:
    for at, kind in trial.events.values_list("at", "kind"):
        yield at, "study", kind, "", None, None, ""


def _of_sheets(trial: Trial) -> Iterator[Happening]:
    rows = SheetEvent.objects.filter(sheet__trial=trial).values_list("at", "kind", "sheet__order", "epoch")
    for at, kind, sheet, epoch in rows:
        yield at, "sheet", kind, "", sheet, epoch, ""


def _of_people(trial: Trial, names: Mapping[int, str]) -> Iterator[Happening]:
    people = trial.participants.filter(kind__in=TAKING_PART)
    for pk, *times in people.values_list("pk", *MILESTONES):
        for event, at in zip(MILESTONES.values(), times, strict=True):
            if at:
                yield at, "person", event, names[pk], None, None, ""
    fetches = ClipFetch.objects.filter(participant__in=people)
    for at, pk, item in fetches.values_list("at", "participant", "item__public_id"):
        yield at, "clip", "requested", names[pk], None, None, item
