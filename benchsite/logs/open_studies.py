"""The progress of open studies, for the operations page and metrics; it contains no answers."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from benchmarks import leasing
from benchmarks.policy import HOUR
from humantrials.models import Trial, TrialState
from humantrials.running.attrition import AttritionStep, flow, people_of
from humantrials.running.monitoring import StudyPace, pace, sheets_by_state

STALLED = HOUR  # an open study with sheets left counts as stalled if nobody finishes for this long


@dataclass(frozen=True)
class OpenStudy:
    """Attrition in an open study, the number of finished sheets, and whether it proceeds."""

    trial: Trial
    flow: tuple[AttritionStep, ...]
    done: int
    total: int
    pace: StudyPace
    hours_left: float | None
    stalled_since: datetime | None  # the last finish or the opening, if that is long ago and sheets are left


def open_studies() -> list[OpenStudy]:
    return [_open_study(trial) for trial in Trial.objects.filter(state=TrialState.OPEN).order_by("slug")]


def _open_study(trial: Trial) -> OpenStudy:
    now = leasing.database_now()
    people, sheets = people_of(trial), sheets_by_state(trial)
    going = pace(trial, people, sheets, now)
    opened = trial.events.filter(kind=TrialState.OPEN).aggregate(at=Max("at"))["at"] or trial.created_at
    last = max([opened, *(one.finished_at for one in people if one.finished_at)])
    left = (going.finish_at - now).total_seconds() / 3600 if going.finish_at else None
    is_stalled = sheets.done < sheets.total and last < now - STALLED
    return OpenStudy(trial, flow(people), sheets.done, sheets.total, going, left, last if is_stalled else None)
