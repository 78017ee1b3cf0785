"""Live monitoring of a trial: attrition, sheets and their history, pace, quality, coverage and precision.

Nothing here reveals answers, so that watching a sealed trial reveals no results. Answers that its author may not know
enter no figure.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.urls import reverse

from benchmarks import leasing
from benchmarks.leasing import expired, running
from benchmarks.policy import HOUR
from humantrials.judging.answer_flags import people_by_flag
from humantrials.judging.attention_checks import attention_count, missed
from humantrials.models import RUNNING, Holding, Sheet, SheetEvent, SheetState, Trial, TrialState
from humantrials.planning.between_clips import minutes_of_work
from humantrials.planning.sample_size import precision
from humantrials.running.attrition import Walked, flow, people_of
from humantrials.running.payments import lines, owed
from humantrials.running.transitions import STANDING

BARS = 24  # maximum number in the chart of arrivals
STEPS = (60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400)  # seconds that one bar may span
FEW = 3  # with fewer finishes the pace is unknown
TimeSpan = tuple[datetime, int, int]  # its beginning, arrivals and finishes within it


@dataclass(frozen=True)
class SheetCounts:
    """Sheets by what is happening to them."""

    open: int
    at_work: int
    expired: int
    done: int
    to_repair: int  # the holder has the code, but some answers have not arrived

    @property
    def total(self) -> int:
        return self.open + self.at_work + self.to_repair + self.expired + self.done

    @property
    def to_recruit(self) -> int:
        """Sheets that nobody works on."""
        return self.open + self.expired


@dataclass(frozen=True)
class StudyPace:
    """How long people need, and when the last sheet will be done at the recent pace; None where unknown."""

    median_minutes: float | None
    median_seconds: float | None
    finished_last_hour: int
    finish_at: datetime | None


def progress_of(trial: Trial, people: Sequence[Walked]) -> dict[str, Any]:
    """How far the study of these people is by now."""
    now, sheets = leasing.database_now(), sheets_by_state(trial)
    return {"at": now, "flow": flow(people), "sheets": sheets, "pace": pace(trial, people, sheets, now)}


def watch(trial: Trial) -> dict[str, Any]:
    """Everything on the page of a running trial."""
    people = people_of(trial)
    progress = progress_of(trial, people)
    finished = [one.finished_at for one in people if one.finished_at]
    return progress | {
        "bars": bars([person.created_at for person in people], finished, progress["at"]),
        "quality": quality(trial),
        "coverage": coverage(trial),
        "precision": precision(trial),
    }


def head_of(trial: Trial) -> dict[str, Any]:
    """What the first page of a study's desk says at once: how far the study is, and what waits for its author."""
    progress = progress_of(trial, people_of(trial))
    sheets = progress["sheets"]
    return progress | {"sentence": _sentence(trial, sheets, progress["pace"]), "waits": [*_waits(trial, sheets)]}


def _sentence(trial: Trial, sheets: SheetCounts, speed: StudyPace) -> str:
    if trial.state not in RUNNING or not sheets.total:
        return STANDING[TrialState(trial.state)]
    full = (
        f"; at this pace the study is full at about {speed.finish_at:%H:%M UTC on %Y-%m-%d}" if speed.finish_at else ""
    )
    paused = " Nobody new can begin while it is paused." if trial.state == TrialState.PAUSED else ""
    return f"{sheets.done} of {sheets.total} sheets are done{full}.{paused}"


def _waits(trial: Trial, sheets: SheetCounts) -> Iterator[tuple[str, str]]:
    """In words, and the address of the page to go to."""
    if count := trial.unfilled_links:
        visits = "1 visit came" if count == 1 else f"{count} visits came"
        yield f"{visits} by a link whose id was not filled in", reverse("trial-panel", args=[trial.slug])
    if count := sheets.to_repair:
        marked = "1 sheet is" if count == 1 else f"{count} sheets are"
        yield f"{marked} marked for repair: answers are missing", reverse("trial-sheets", args=[trial.slug])
    if trial.state == TrialState.OPEN and sheets.done == sheets.total > 0:
        yield "Every sheet is done: the study can be closed", reverse("trial-act", args=[trial.slug, "close"])
    if trial.pay_amount and (count := sum(line.is_due for line in lines(trial, owed(trial)))):
        wait = "1 person waits" if count == 1 else f"{count} people wait"
        yield f"{wait} for their pay to be approved", reverse("trial-pay", args=[trial.slug])


def bars(came: Sequence[datetime], finished: Sequence[datetime], now: datetime) -> list[TimeSpan]:
    """Arrivals and finishes in spans of one round length, up to now; at most the newest `BARS` spans."""
    if not came:
        return []
    span = (now - min(came)).total_seconds()
    step = next((step for step in STEPS if span / step < BARS), STEPS[-1])
    last = int(now.timestamp() // step)
    first = max(int(min(came).timestamp() // step), last - BARS + 1)
    arrivals, finishes = (Counter(int(at.timestamp() // step) for at in times) for times in (came, finished))
    zone = now.tzinfo
    return [
        (datetime.fromtimestamp(number * step, zone), arrivals[number], finishes[number])
        for number in range(first, last + 1)
    ]


def sheets_by_state(trial: Trial) -> SheetCounts:
    marked = Q(holder__repair_at__isnull=False)
    counts = trial.sheets.aggregate(
        open=Count("pk", filter=Q(state=SheetState.OPEN)),
        at_work=Count("pk", filter=running(Sheet) & ~marked),
        to_repair=Count("pk", filter=running(Sheet) & marked),
        expired=Count("pk", filter=expired(Sheet)),
        done=Count("pk", filter=Q(state=SheetState.DONE)),
    )
    return SheetCounts(**counts)


def pace(trial: Trial, people: Sequence[Walked], sheets: SheetCounts, now: datetime) -> StudyPace:
    worked = (minutes_of_work(one.consented_at, one.finished_at, one.checks, trial.settings) for one in people)
    lasted = [minutes for minutes in worked if minutes is not None]
    times = trial.judgments.values_list("seconds", flat=True)
    seconds = [time for time in times if time is not None]
    ends = sorted(one.finished_at for one in people if one.finished_at and one.counted)
    lately = [end for end in ends if end > now - HOUR]
    return StudyPace(
        median_minutes=median(lasted) if lasted else None,
        median_seconds=median(seconds) if seconds else None,
        finished_last_hour=len(lately),
        finish_at=_finish_at(trial, sheets, lately, now),
    )


def _finish_at(trial: Trial, sheets: SheetCounts, lately: Sequence[datetime], now: datetime) -> datetime | None:
    """The expected end at the pace of the last hour, or of the time since that hour's first finish."""
    left = sheets.total - sheets.done
    if trial.state != TrialState.OPEN or not left or len(lately) < FEW or lately[0] == now:
        return None
    return now + (now - lately[0]) / len(lately) * left


def quality(trial: Trial) -> dict[str, Any]:
    """Doubts about the answers so far: `attention` are people who missed an attention item, and all who saw one."""
    playbacks = list(trial.judgments.values_list("playback", flat=True))
    flagged = Counter(flag for playback in playbacks for flag in playback.get("flags", ()))
    wrong = missed(trial) if attention_count(trial) else {}
    return {
        "answers": len(playbacks),
        "flags": flagged.most_common(),
        "untouched": sum(not playback.get("flags") for playback in playbacks),
        "people": people_by_flag(trial),
        "attention": (sum(n > 0 for n in wrong.values()), len(wrong)) if wrong else None,
    }


def coverage(trial: Trial) -> dict[str, Any]:
    """The number of items for each number of counted answers, fewest answers first."""
    slots = trial.slots.order_by().values("item", "condition").annotate(wanted=Count("pk", distinct=True))
    counted = Count("judgments", filter=Q(judgments__counts=True))
    rows = list(slots.annotate(n=counted).values_list("n", "wanted"))
    by_count = sorted(Counter(n for n, _ in rows).items())
    return {"by_count": by_count, "replicates": max((wanted for _, wanted in rows), default=0)}


def moments(sheet: Sheet) -> list[SheetEvent]:
    """All events of the sheet, oldest first, each with the holder at that epoch if there was one."""
    holdings = {held.epoch: held for held in sheet.holdings.select_related("holder")}
    events = list(sheet.events.all())
    for event in events:
        event.holding = holdings.get(event.epoch)  # type: ignore[attr-defined]  # for the template
    return events


def holdings(sheet: Sheet) -> QuerySet[Holding]:
    """The sheet's holders, oldest first, with the number of their answers to it; none once they have withdrawn."""
    mine = Q(holder__judgments__slot__sheet=sheet)
    held = sheet.holdings.select_related("holder").annotate(
        answers=Count("holder__judgments", filter=mine),
        counted=Count("holder__judgments", filter=mine & Q(holder__judgments__counts=True)),
        surplus=Count("holder__judgments", filter=mine & Q(holder__judgments__is_surplus=True)),
    )
    return held.order_by("epoch")
