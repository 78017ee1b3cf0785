"""How precise a trial will be and what it costs, before it opens; and whether it is precise enough while it runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from math import ceil
from statistics import median

from django.db.models import QuerySet

from benchmarks.disclosure import with_expected
from benchmarks.packs.clusters import are_dependent, labels_by_item
from humantrials.models import ParticipantKind, ParticipantState, PilotAnswer, Trial
from humantrials.permissions import desk_reader
from humantrials.planning.between_clips import minutes_of_work
from humantrials.planning.second_round import has_second_round, weighted_share
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import setting
from measures.estimate import SampleSize, Variation, figure_of_answers, half_width, power, variation_of
from measures.scores.scoring import exact_match

CENT = Decimal("0.01")
REPLICATES = (1, 2, 3, 5, 7, 9, 11, 15, 21, 31)
MOST_TIMES = 200  # the forecast goes up to this multiple of the present answers
ASSUMED = Variation(0.8, 0.01, 0.04)  # where there is no pilot: people differ by 10 points, items by 20


@dataclass(frozen=True)
class Pilot:
    """Figures of the pilots: the share and its variances if enough items are shared, and their durations."""

    people: int
    answers: int
    variation: Variation | None
    minutes: float | None
    unmeasured: int  # answers to items whose right answer is not known, or secret


@dataclass(frozen=True)
class Price:
    """What a person is paid, and the panel's fee as a share of it."""

    pay: Decimal
    fee: Decimal

    @property
    def of_one(self) -> Decimal:
        return (self.pay * (1 + self.fee)).quantize(CENT, rounding=ROUND_UP)


@dataclass(frozen=True)
class Plan:
    """One size of the study, with what it gives and costs."""

    replicates: int
    size: SampleSize
    half_width: float
    power: float
    cost: Decimal | None
    is_own: bool  # the trial's own number of answers an item
    is_affordable: bool
    is_enough: bool

    @property
    def points(self) -> float:
        return 100 * self.half_width


@dataclass(frozen=True)
class Precision:
    """Half the width of the 95 % interval of single answers' accuracy; people and items both vary."""

    judgments: int
    half_width: float | None
    unmeasured: int  # counted answers to items whose right answer is not known, or secret


@dataclass(frozen=True)
class Progress:
    """The precision so far against the one that was wanted; `answers` is about how many it needs, None if unknown."""

    wanted: float
    now: float | None
    counted: int
    answers: int | None
    unmeasured: int  # as in `Precision`

    @property
    def points(self) -> tuple[float, float] | None:
        """Now and wanted, in points of per cent."""
        return None if self.now is None else (100 * self.now, 100 * self.wanted)

    @property
    def is_enough(self) -> bool:
        return self.now is not None and self.now <= self.wanted


def pilot_of(trial: Trial) -> Pilot:
    """Figures of the trial's pilots; accuracy comes only from items with a right answer that its author may know."""
    people = trial.participants.filter(kind=ParticipantKind.PILOT)
    answers = PilotAnswer.objects.filter(participant__in=people, item__isnull=False)
    rows = _scored(trial, answers)
    done = people.filter(state=ParticipantState.FINISHED).exclude(consented_at=None).exclude(finished_at=None)
    times = done.values_list("consented_at", "finished_at", "checks")
    lasted = [minutes_of_work(begin, end, checks, trial.settings) for begin, end, checks in times]
    minutes = [one for one in lasted if one is not None]
    return Pilot(
        people=len({person for _value, person, _item in rows}),
        answers=len(rows),
        variation=_variation(rows),
        minutes=median(minutes) if minutes else None,
        unmeasured=answers.count() - len(rows),
    )


def _scored(trial: Trial, answers: QuerySet) -> list[tuple[float, int, int]]:
    """(score, participant, item) of the answers whose item has a right one that may be known."""
    known = with_expected(answers, to=desk_reader(trial), item="item").filter(expected__isnull=False)
    found = known.values_list("answer", "expected", "participant", "item")
    return [(exact_match(answer, right), person, item) for answer, right, person, item in found]


def _variation(rows: Sequence[tuple[float, int, int]]) -> Variation | None:
    if not rows:
        return None
    values, people, items = zip(*rows, strict=True)
    return variation_of(values, people, items)


def size_of(trial: Trial, replicates: int) -> SampleSize:
    """The size of the trial with so many answers an item, on sheets as long as they are now."""
    own = setting(trial.settings, "replicates", find_protocol(trial.protocol))
    slots = trial.slots.filter(replicate__lt=own)  # without a second round's
    people, answers = slots.values("sheet").distinct().count(), slots.count()
    items = trial.slots.values("item").distinct().count()
    return SampleSize(max(1, ceil(people * replicates / own)), max(1, items), max(1, round(answers * replicates / own)))


def plans(
    trial: Trial, variation: Variation, *, reference: float, wanted: float, price: Price | None, budget: Decimal | None
) -> list[Plan]:
    """The trial with few and with many answers an item; `wanted` is half an interval, as a share."""
    own = setting(trial.settings, "replicates", find_protocol(trial.protocol))
    found = []
    for replicates in sorted({*REPLICATES, own}):
        size = size_of(trial, replicates)
        half = half_width(variation, size)
        cost = price.of_one * size.people if price else None
        found.append(
            Plan(
                replicates=replicates,
                size=size,
                half_width=half,
                power=power(variation, size, reference),
                cost=cost,
                is_own=replicates == own,
                is_affordable=cost is None or budget is None or cost <= budget,
                is_enough=half <= wanted,
            )
        )
    return found


def suggested(found: Iterable[Plan]) -> Plan | None:
    """The smallest plan that is precise enough and can be paid."""
    return next((plan for plan in found if plan.is_enough and plan.is_affordable), None)


def minutes_of(trial: Trial, pilot: Pilot) -> float:
    """Minutes that a sheet takes: the pilots' median, else the protocol's estimate."""
    if pilot.minutes:
        return pilot.minutes
    sheets = max(1, trial.sheets.count())
    return trial.slots.count() / sheets * find_protocol(trial.protocol).player.seconds_a_trial / 60


def progress(trial: Trial) -> Progress | None:
    """Whether the registered precision is reached; None if none was registered.

    The rule looks at the length of the interval alone, never at p or at where the interval lies: stopping by it hardly
    biases the share, whereas stopping at the first small p finds differences that do not exist.
    """
    points = trial.settings.get("precision")
    if not points:
        return None
    seen = precision(trial)
    return Progress(points / 100, seen.half_width, seen.judgments, _needed(trial, points / 100), seen.unmeasured)


def precision(trial: Trial) -> Precision:
    every = trial.judgments.filter(counts=True)
    rows = _scored(trial, every)
    unmeasured = every.count() - len(rows)
    values = [score for score, _, _ in rows]
    people, items = [person for _, person, _ in rows], [item for _, _, item in rows]
    if len(set(people)) < 2 or len(set(items)) < 2:
        return Precision(len(rows), None, unmeasured)
    if has_second_round(trial) and (both := weighted_share(trial, every)):
        return Precision(len(rows), both.interval.half_width, unmeasured)
    labels = None
    if are_dependent(trial.pack.benchmark):
        known = labels_by_item(set(items), benchmark=trial.pack.benchmark)
        labels = [known[item] for item in items]
    found = figure_of_answers(values, people, items, labels)
    return Precision(len(rows), found.interval.half_width, unmeasured)


def _needed(trial: Trial, wanted: float) -> int | None:
    """About how many answers give this precision, if people and answers grow together and items stay."""
    rows = [] if are_dependent(trial.pack.benchmark) else _scored(trial, trial.judgments.filter(counts=True))
    found = _variation(rows)
    if found is None:
        return None
    people, items = (len({row[place] for row in rows}) for place in (1, 2))
    for tenths in range(1, 10 * MOST_TIMES):
        size = SampleSize(max(2, round(people * tenths / 10)), items, max(2, round(len(rows) * tenths / 10)))
        if half_width(found, size) <= wanted:
            return size.answers
    return None
