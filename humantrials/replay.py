"""The life of one sheet, in order: what happened, at which epoch, and who held it then, by random code."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from humantrials.models import Holding, Sheet

WORDS = {
    "claimed": "given out",
    "taken over": "the lease had run out: given to somebody else",
    "finished": "finished; every answer counts",
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
class Moment:
    """One event; `holder` is '' where nobody held the sheet at that epoch."""

    at: datetime
    epoch: int
    kind: str
    words: str
    holder: str


@dataclass(frozen=True)
class Held:
    """One holder's time with the sheet."""

    epoch: int
    given_at: datetime
    holder: str
    state: str
    answers: int
    counted: int
    surplus: int


def moments(sheet: Sheet) -> list[Moment]:
    """Every event of the sheet, oldest first."""
    holders = {held.epoch: held.holder for held in holdings(sheet)}
    return [
        Moment(event.at, event.epoch, event.kind, WORDS.get(event.kind, event.kind), holders.get(event.epoch, ""))
        for event in sheet.events.all()
    ]


def holdings(sheet: Sheet) -> list[Held]:
    """Who was given the sheet, oldest first, with what they answered while it was theirs."""
    mine = Q(holder__judgments__slot__sheet=sheet)
    found = sheet.holdings.select_related("holder").annotate(
        answers=Count("holder__judgments", filter=mine),
        counted=Count("holder__judgments", filter=mine & Q(holder__judgments__counts=True)),
        surplus=Count("holder__judgments", filter=mine & Q(holder__judgments__is_surplus=True)),
    )
    return [_held(holding) for holding in found.order_by("epoch")]


def _held(holding: Holding) -> Held:
    person = holding.holder
    code, state = (person.code, person.state) if person else (GONE, GONE)
    counts = {name: getattr(holding, name) for name in ("answers", "counted", "surplus")}
    return Held(holding.epoch, holding.given_at, code, state, **counts)
