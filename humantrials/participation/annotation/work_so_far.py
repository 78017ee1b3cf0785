"""An annotator's work in a trial over all sheets, for the line at the top of every page."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Sum

from humantrials.annotation.sittings import sittings_of
from humantrials.models import Participant, ParticipantKind, TaskAnswer


@dataclass(frozen=True)
class WorkSoFar:
    """Pay of a whole sheet, finished sheets, and minutes of work; `amount` is None where no pay is entered."""

    amount: Decimal | None
    currency: str
    sheets: int
    minutes: int

    @property
    def earned(self) -> Decimal | None:
        return None if self.amount is None else self.amount * self.sheets


def work_so_far(person: Participant) -> WorkSoFar:
    """The person's finished sheets and minutes; a preview or pilot has none."""
    trial, sittings = person.trial, sittings_of(person)
    is_person = person.kind not in (ParticipantKind.PREVIEW, ParticipantKind.PILOT)
    sheets = sittings.filter(finished_at__isnull=False).count() if is_person else 0
    seconds = TaskAnswer.objects.filter(participant__in=sittings).aggregate(sum=Sum("seconds"))["sum"] or 0
    return WorkSoFar(trial.pay_amount or None, trial.pay_currency, sheets, round(seconds / 60))
