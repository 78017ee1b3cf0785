"""What came of a run so far: counts, accuracy with its interval, and the same by test and dimension.

Counting a hundred thousand answers takes a second, so nobody does it for a page: shards are counted when they are
done, and what came of an ended run is kept on its row with the version of the answers that it was computed from.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Avg, BigIntegerField, Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from benchmarks.models import ItemMedia
from evaluation.counting import COUNTED
from evaluation.models import Cell, CellState, Reading, Run, RunState, Score
from measures.intervals import Interval, Tally, clustered_tallies, wilson

ITEM = "reading__response__cell__item"
FACETS = f"{ITEM}__facets__"
FEW = 200  # shards whose ids are cheaper to name than to look up
ENDED = (RunState.FINISHED, RunState.FAILED, RunState.CANCELLED)


@dataclass(frozen=True)
class Counts:
    """Where the questions of a run stand; `unread` are answered ones that nothing could be made of."""

    total: int
    answered: int
    failed: int
    unread: int
    problems: dict[str, int]

    @property
    def open(self) -> int:
        return self.total - self.answered - self.failed

    @property
    def is_partial(self) -> bool:
        """Some questions have an answer and some never will."""
        return 0 < self.answered < self.total


@dataclass(frozen=True)
class Mark:
    """Mean score over n questions; unread ones count as wrong. Clustered where a clip is asked twice."""

    n: int
    accuracy: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Outcome:
    """Everything that the pages of an ended run show of its scores. `tests` and `dimensions` by their names."""

    counts: Counts
    overall: Mark
    tests: dict[str, Mark]
    dimensions: dict[str, Mark]


def outcome_of(run: Run) -> Outcome:
    """As kept on the row, or computed where the answers have changed since."""
    return outcome_from(run.results) if has_results(run) else computed(run)


def has_results(run: Run) -> bool:
    """Whether what is kept on the row is still true."""
    return run.state in ENDED and run.results_version == run.answers_version


def computed(run: Run) -> Outcome:
    """Count and average everything anew: a second for a hundred thousand answers."""
    scores = Score.objects.of_run(run)
    return Outcome(_counted(run), mark_of(tallies(scores)), marks_by(scores.filter(**{f"{FACETS}name": "test"}),
                   f"{FACETS}value"), marks_by(scores, "dimension") if run.referee else {})  # fmt: skip


def keep_results(run: Run) -> None:
    """Keep what came of an ended run on its row, with the version that it is true for."""
    results = asdict(computed(run))
    Run.objects.filter(pk=run.pk).update(results=results, results_version=run.answers_version)
    run.results, run.results_version = results, run.answers_version


def outcome_from(results: dict[str, Any]) -> Outcome:
    """What `keep_results` kept."""
    tests, dimensions = (
        {name: _mark_from(values) for name, values in results[what].items()} for what in ("tests", "dimensions")
    )
    return Outcome(Counts(**results["counts"]), _mark_from(results["overall"]), tests, dimensions)


def counts_of(run: Run) -> Counts:
    """Counts of now: those of finished shards as they were counted then, of the others cell by cell."""
    return outcome_from(run.results).counts if has_results(run) else _counted(run)


def _counted(run: Run) -> Counts:
    counted = run.shards.filter(state__in=COUNTED)
    sums = counted.aggregate(answered=Sum("answered", default=0), failed=Sum("failed", default=0))
    problems: Counter[str] = Counter()
    for found in counted.exclude(problems={}).order_by().values_list("problems", flat=True):
        problems.update(found)
    uncounted = _uncounted(run)
    states = Counter(dict(uncounted.order_by().values_list("state").annotate(Count("pk"))))
    problems.update(problems_of(uncounted, run))
    return Counts(
        total=run.cells.count(), answered=sums["answered"] + states[CellState.ANSWERED],
        failed=sums["failed"] + states[CellState.FAILED], unread=problems.total(),
        problems=dict(sorted(problems.items())),
    )  # fmt: skip


def _uncounted(run: Run) -> QuerySet[Cell]:
    """Cells of shards that somebody has begun, and all of a run without shards; the untouched ones are merely open."""
    if not run.shards.exists():
        return run.cells.all()
    begun = run.shards.exclude(state__in=COUNTED).filter(epoch__gt=0).order_by()
    few = list(begun.values_list("pk", flat=True)[: FEW + 1])
    return run.cells.filter(shard__in=begun.values("pk")) if len(few) > FEW else Cell.objects.filter(shard__in=few)


def problems_of(cells: QuerySet[Cell], run: Run) -> dict[str, int]:
    """How many replies in these cells could not be read, by the word for why."""
    readings = Reading.objects.filter(
        response__cell__in=cells.order_by().values("pk"), parser=run.parser, version=run.parser_version
    )
    return dict(readings.exclude(problem="").order_by().values_list("problem").annotate(Count("pk")))


def tallies(scores: QuerySet[Score], *by: str) -> Iterable[dict[str, Any]]:
    """Number, sum and number of graded scores (neither 0 nor 1) of each clip, or of each item that has none."""
    first = ItemMedia.objects.filter(item=OuterRef(ITEM)).order_by("position", "pk").values("clip_id")[:1]
    clip = Coalesce(Subquery(first), F(ITEM) * -1, output_field=BigIntegerField())
    sums = {"n": Count("pk"), "total": Sum("value"), "graded": Count("pk", filter=~Q(value__in=(0.0, 1.0)))}
    return scores.order_by().values(*by, clip=clip).annotate(**sums).iterator(chunk_size=2000)


def mark_of(rows: Iterable[dict[str, Any]]) -> Mark:
    """The mean of all scores; one score a clip, right or wrong, has Wilson's interval, everything else is clustered."""
    found, is_graded = [], False
    for row in rows:
        found.append(Tally(row["total"], row["n"]))
        is_graded |= bool(row["graded"])
    n, total = sum(tally.n for tally in found), sum(tally.total for tally in found)
    if not n:
        return Mark(0, None, None)
    is_plain = n == len(found) and not is_graded
    return Mark(n, total / n, wilson(total, n) if is_plain else clustered_tallies(found))


def marks_by(scores: QuerySet[Score], name: str) -> dict[str, Mark]:
    """One mark for each value of a column; an ordering question counts in its own test and in the family."""
    grouped = defaultdict(list)
    for row in tallies(scores, name):
        grouped[row[name]].append(row)
    return {value: mark_of(grouped[value]) for value in sorted(grouped)}


def accuracies(runs: Iterable[Run]) -> dict[int, float | None]:
    """The overall accuracy of each of these runs; those whose answers have changed since are averaged in one query."""
    found = list(runs)
    of_run = "reading__response__cell__run"
    stale = [run for run in found if not has_results(run)]
    scores = Score.objects.counting().filter(**{f"{of_run}__in": stale}) if stale else Score.objects.none()
    return {run.pk: run.results["overall"]["accuracy"] for run in found if run not in stale} | dict(
        scores.order_by().values_list(of_run).annotate(Avg("value"))
    )


def result_of(run: Run) -> dict[str, object]:
    """The result as the commands print it; shares between 0 and 1."""
    outcome = outcome_of(run)
    counts, mark = outcome.counts, outcome.overall
    facts: dict[str, object] = {
        "answered": counts.answered,
        "unread": counts.unread,
        "errors": counts.failed,
        "accuracy": mark.accuracy,
        "interval": _ends(mark),
    }
    if run.referee:
        facts["dimensions"] = {
            name: {"score": each.accuracy, "n": each.n, "interval": _ends(each)}
            for name, each in outcome.dimensions.items()
        }
    return facts


def _ends(mark: Mark) -> list[float] | None:
    return [mark.interval.low, mark.interval.high] if mark.interval else None


def _mark_from(values: dict[str, Any]) -> Mark:
    interval = values["interval"]
    return Mark(values["n"], values["accuracy"], Interval(**interval) if interval else None)
