"""An annotator's work in a trial over all sheets, for the line at the top of every page."""

from dataclasses import dataclass
from decimal import Decimal

from extensions.annotation.models import TaskAnswer
from extensions.annotation.work.sittings import first_of, sittings_after
from humantrials.assignment.prepared_queries import ONE, PreparedQuery
from humantrials.models import Participant, ParticipantKind, Trial

FINISHED = PreparedQuery(lambda: sittings_after(ONE).filter(finished_at__isnull=False).values_list("pk"), ONE)
OF_ANSWERS = PreparedQuery(
    lambda: TaskAnswer.objects.filter(participant__in=sittings_after(ONE)).values_list("seconds"), ONE
)


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


def no_work(trial: Trial) -> WorkSoFar:
    """What somebody reads who has not agreed yet: the pay of a sheet."""
    return WorkSoFar(trial.pay_amount or None, trial.pay_currency, 0, 0)


def work_so_far(person: Participant) -> WorkSoFar:
    """The person's finished sheets and minutes; a preview or pilot has none."""
    trial, first = person.trial, first_of(person)
    is_person = person.kind not in (ParticipantKind.PREVIEW, ParticipantKind.PILOT)
    sheets = len(FINISHED.rows(first)) if is_person else 0
    seconds = sum(taken or 0 for (taken,) in OF_ANSWERS.rows(first))
    return WorkSoFar(trial.pay_amount or None, trial.pay_currency, sheets, round(seconds / 60))
