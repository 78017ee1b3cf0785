"""The history of one sheet: its events in order, their epochs, and who held it, by random code."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from humantrials.models import Holding, Sheet

WORDS = {
    "claimed": "given out",
    "taken over": "the lease had run out: given to somebody else",
    "finished": "finished; every answer counts",
    "not all was seen": "free again for the slots without an answer that counts",
    "finished late": "finished by somebody who had lost it; surplus",
    "to repair": "marked for repair: the code was given, answers are missing",
    "declined": "free again: no consent",
    "stopped": "free again: the person stopped",
    "withdrawn": "free again: the person withdrew and the answers were erased",
    "excluded": "free again: the person was excluded",
    "screened out": "free again: the quiz was not passed",
    "closed": "fenced off: the trial was closed",
}
GONE = "withdrew"


@dataclass(frozen=True)
class SheetMoment:
    """One event; `holder` is '' if nobody held the sheet at that epoch."""

    at: datetime
    epoch: int
    kind: str
    words: str
    holder: str


@dataclass(frozen=True)
class SheetHolding:
    """One holder's time with the sheet."""

    epoch: int
    given_at: datetime
    holder: str
    state: str
    answers: int
    counted: int
    surplus: int


def moments(sheet: Sheet) -> list[SheetMoment]:
    """All events of the sheet, oldest first."""
    holders = {held.epoch: held.holder for held in holdings(sheet)}
    return [
        SheetMoment(event.at, event.epoch, event.kind, WORDS.get(event.kind, event.kind), holders.get(event.epoch, ""))
        for event in sheet.events.all()
    ]


def holdings(sheet: Sheet) -> list[SheetHolding]:
    """The sheet's holders, oldest first, with the number of their answers to it."""
    mine = Q(holder__judgments__slot__sheet=sheet)
    found = sheet.holdings.select_related("holder").annotate(
        answers=Count("holder__judgments", filter=mine),
        counted=Count("holder__judgments", filter=mine & Q(holder__judgments__counts=True)),
        surplus=Count("holder__judgments", filter=mine & Q(holder__judgments__is_surplus=True)),
    )
    return [_held(holding) for holding in found.order_by("epoch")]


def _held(holding: Holding) -> SheetHolding:
    person = holding.holder
    code, state = (person.code, person.state) if person else (GONE, GONE)
    counts = {name: getattr(holding, name) for name in ("answers", "counted", "surplus")}
    return SheetHolding(holding.epoch, holding.given_at, code, state, **counts)
