"""Results of a run so far: counts, accuracy with its interval, and the same by test and dimension.

Counting a hundred thousand answers takes a second, so no page does it: each shard is counted when it is done, and an
ended run stores its results with the version of the answers behind them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from django.db.models import Avg, Count, Exists, F, OuterRef, QuerySet, Sum

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.gallery.page_cache import cached_value
from benchmarks.models import Item, Pack
from benchmarks.packs.clusters import labels_of_groups
from benchmarks.packs.item_arrays import Chances, PackFacts, chances_of_items, facts_of, with_stated_chances
from evaluation.models import Cell, CellState, Reading, Run, Score
from evaluation.queue.shards import COUNTED
from evaluation.runs.tallies import ClipTally, Tallies, answered_by, by_facet, dimensions_of, overall, scores_of
from measures.estimate import estimate, pair_labels
from measures.figures import Figure, Interval
from measures.scores.group_scores import group_scores, guessed
from measures.scores.parsed_answers import CUT_IN_THOUGHT

CELL = "reading__response__cell"
RULES = 6  # version of the rules for intervals; stored results of other versions are recomputed
FEW = 200  # shards; up to this many, listing ids is cheaper than a join


@dataclass(frozen=True)
class Counts:
    """Numbers of a run's questions by state; `unread` are replies that the parser could not read."""

    total: int
    answered: int
    failed: int
    unread: int
    problems: dict[str, int]

    @property
    def open(self) -> int:
        return self.total - self.answered - self.failed

    @property
    def cut_in_thought(self) -> float | None:
        """The share of answered questions whose thoughts were cut off before an answer; None without answers."""
        return self.share_of(CUT_IN_THOUGHT)

    def share_of(self, problem: str) -> float | None:
        """The share of answered questions whose reply has this problem; None if there is none."""
        count = self.problems.get(problem, 0)
        return count / self.answered if count else None

    @property
    def is_partial(self) -> bool:
        """Whether some questions, but not all, have an answer."""
        return 0 < self.answered < self.total


@dataclass(frozen=True)
class Metric:
    """Mean score over n questions; unparsed ones count as wrong. p is that of the chance level, where one is known."""

    n: int
    accuracy: float | None
    interval: Interval | None
    p: float | None = None


@dataclass(frozen=True)
class Outcome:
    """All scores on the pages of an ended run; `tests` and `dimensions` are keyed by name.

    Scores of hidden answers are left out except for staff; `left_out` counts their questions.
    """

    counts: Counts
    overall: Metric
    tests: dict[str, Metric]
    dimensions: dict[str, Metric]
    left_out: int = 0
    groups: Metric | None = None  # the score of groups of questions, if the benchmark has some
    incomplete: int = 0  # groups without a score, because one of their questions has no answer


def outcome_of(run: Run, *, whole: bool = False) -> Outcome:
    """The stored outcome, recomputed if answers or seals have changed; `whole` is only for staff."""
    found = outcome_from(run.results) if has_results(run) else _cached(run)
    return _cached(run, whole=True) if whole and found.left_out else found


def _cached(run: Run, *, whole: bool = False) -> Outcome:
    """The computed outcome, cached for an ended run until its answers or seals change."""
    if not run.is_over:
        return computed(run, whole=whole)
    version = (run.created_at, run.answers_version, run.parser, run.parser_version, run.referee, RULES, whole)
    return cached_value(f"outcome {run.pk}", version=str(version), make=lambda: computed(run, whole=whole))


def has_results(run: Run) -> bool:
    """Whether the stored results are up to date, with today's rules for intervals."""
    is_current = run.results_version == run.answers_version and run.results.get("rules") == RULES
    return run.is_over and is_current


def stale_results() -> QuerySet[Run]:
    """Ended runs whose results are missing or outdated."""
    ended = Run.objects.exclude(state__in=Run.GOING)
    current = ended.filter(results_version=F("answers_version"), results__rules=RULES)
    return ended.exclude(pk__in=current.order_by().values("pk")).order_by("pk")


def computed(run: Run, *, whole: bool = False) -> Outcome:
    """Compute the outcome from the answers, tallied as for the run's row on boards."""
    facts, is_points = facts_of(run.pack), bool(run.referee)
    may_be_seen = ~facts.is_hidden | whole
    figure_of, chances = partial(_metric_of, is_points=is_points), _chances(run, facts)
    answered = answered_by(run, facts).within(may_be_seen)
    by_dimension = {name: answered_by(run, facts, name).within(may_be_seen) for name in dimensions_of(run)}
    return Outcome(
        counts=_counted(run),
        overall=figure_of(overall(answered), chances.get(("split", run.split))),
        tests={key[1]: figure_of(rows, chances.get(key)) for key, rows in by_facet(answered, ["test"]).items()},
        dimensions={name: figure_of(overall(scored)) for name, scored in by_dimension.items()},
        left_out=0 if whole or not facts.is_hidden.any() else _left_out(run),
        **_grouped(run, scores_of(run) if whole else scores_of(run).on_public_items()),
    )


def _metric_of(tallies: Tallies, chance: float | None = None, *, is_points: bool) -> Metric:
    """The mean score of these tallies with its interval, which holds chance where the test does not reject it."""
    rows = ClipTally(*tallies.T)
    labels = pair_labels(rows.first, rows.second)
    return _metric(estimate(rows.total, rows.n, labels, chance=chance, is_points=is_points))


def _grouped(run: Run, scores: QuerySet[Score]) -> dict[str, Any]:
    """The outcome's fields on groups; {} without groups."""
    groups = groups_of(run.pack, run.strategy)
    if not groups or run.referee:
        return {}
    found = scored_groups(scores, groups)
    rows = [(sum(values), len(values), groups[name].label) for name, values in found.scores.items()]
    totals, sizes, labels = np.array(rows, float).reshape(-1, 3).T
    return {"groups": _metric(estimate(totals, sizes, labels)), "incomplete": len(found.incomplete)}


def _left_out(run: Run) -> int:
    """The number of the run's questions with a hidden answer."""
    hidden = Item.objects.filter(pack=run.pack_id).exclude(open_to(PUBLIC, Fact.ANSWER))
    return hidden.filter(Exists(Cell.objects.filter(run=run, item=OuterRef("pk")))).count()


def mean_scores(runs: Iterable[int]) -> dict[int, float]:
    """The mean score of each of these runs over all its questions, hidden ones too: for staff alone."""
    found = Score.objects.counting().filter(**{f"{CELL}__run__in": list(runs)}).order_by()
    return dict(found.values_list(f"{CELL}__run").annotate(Avg("value")))


def store_results(run: Run) -> None:
    """Store an ended run's results on its row, with the version of the answers behind them."""
    results = asdict(computed(run)) | {"rules": RULES}
    Run.objects.filter(pk=run.pk).update(results=results, results_version=run.answers_version)
    run.results, run.results_version = results, run.answers_version


def outcome_from(results: dict[str, Any]) -> Outcome:
    """The outcome that `store_results` stored."""
    tests, dimensions = (
        {name: _metric_from(values) for name, values in results[what].items()} for what in ("tests", "dimensions")
    )
    overall, left_out = _metric_from(results["overall"]), results.get("left_out", 0)
    groups = _metric_from(results["groups"]) if results.get("groups") else None
    counts = Counts(**results["counts"])
    return Outcome(counts, overall, tests, dimensions, left_out, groups, results.get("incomplete", 0))


def counts_of(run: Run) -> Counts:
    """The current counts: those of the outcome of an ended run, else those of ended shards plus the remaining cells."""
    return outcome_of(run).counts if run.is_over else _counted(run)


def stored_share(run: Run, problem: str) -> float | None:
    """The share of replies with this problem in the stored results; None for none, or if these are outdated."""
    return Counts(**run.results["counts"]).share_of(problem) if has_results(run) else None


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
        total=run.cells.count(),
        answered=sums["answered"] + states[CellState.ANSWERED],
        failed=sums["failed"] + states[CellState.FAILED],
        unread=problems.total(),
        problems=dict(sorted(problems.items())),
    )


def _uncounted(run: Run) -> QuerySet[Cell]:
    """Cells of started but uncounted shards, or all cells of a run without shards; the rest are open."""
    if not run.shards.exists():
        return run.cells.all()
    begun = run.shards.exclude(state__in=COUNTED).filter(epoch__gt=0).order_by()
    few = list(begun.values_list("pk", flat=True)[: FEW + 1])
    return run.cells.filter(shard__in=begun.values("pk")) if len(few) > FEW else Cell.objects.filter(shard__in=few)


def problems_of(cells: QuerySet[Cell], run: Run) -> dict[str, int]:
    """The number of unparsed replies in these cells, by problem."""
    readings = Reading.objects.filter(
        response__cell__in=cells.order_by().values("pk"), parser=run.parser, version=run.parser_version
    )
    return dict(readings.exclude(problem="").order_by().values_list("problem").annotate(Count("pk")))


def _metric(figure: Figure | None) -> Metric:
    return Metric(figure.n, figure.score, figure.interval, figure.p) if figure else Metric(0, None, None)


def _chances(run: Run, facts: PackFacts) -> Chances:
    """The chance levels that the run's row has on the boards; none yet of a run that goes on."""
    if not run.is_over:
        return {}
    kinds = run.cells.order_by().values_list("item__kind", flat=True).distinct()
    found = chances_of_items(facts, np.isin(facts.kinds, list(kinds)))
    whole = {key: chance for key, chance in found.items() if key[0] == "split"}
    return {**with_stated_chances(found, run.pack.benchmark, run.strategy), **whole}


def accuracies(runs: Iterable[Run]) -> dict[int, float | None]:
    """The accuracy of each run on public answers; one query averages all runs with outdated results."""
    found = list(runs)
    stale = [run for run in found if not has_results(run)]
    counting = Score.objects.counting().on_public_items()
    scores = counting.filter(**{f"{CELL}__run__in": stale}) if stale else Score.objects.none()
    return {run.pk: run.results["overall"]["accuracy"] for run in found if run not in stale} | dict(
        scores.order_by().values_list(f"{CELL}__run").annotate(Avg("value"))
    )


def result_of(run: Run, *, whole: bool = False) -> dict[str, object]:
    """The result as commands print it; shares are 0 to 1. `whole` is only for staff."""
    outcome = outcome_of(run, whole=whole)
    counts, mark = outcome.counts, outcome.overall
    facts: dict[str, object] = {
        "answered": counts.answered,
        "unread": counts.unread,
        "errors": counts.failed,
        "accuracy": mark.accuracy,
        "interval": _ends(mark),
    }
    if run.referee:
        facts["dimensions"] = {name: _facts_of(each) for name, each in outcome.dimensions.items()}
    if outcome.groups:
        facts["groups"] = _facts_of(outcome.groups) | {"incomplete": outcome.incomplete}
    return facts


def _facts_of(mark: Metric) -> dict[str, object]:
    return {"score": mark.accuracy, "n": mark.n, "interval": _ends(mark)}


def _ends(mark: Metric) -> list[float] | None:
    return [mark.interval.low, mark.interval.high] if mark.interval else None


def _metric_from(values: dict[str, Any]) -> Metric:
    interval = values["interval"]
    return Metric(values["n"], values["accuracy"], Interval(**interval) if interval else None, values["p"])


@dataclass(frozen=True)
class PackGroup:
    """One group of a pack, with its items in their order."""

    items: tuple[int, ...]
    rule: str
    chance: float
    is_whole: bool  # it has as many questions as its benchmark asks for
    label: int  # its cluster: see benchmarks/packs/clusters.py


@dataclass(frozen=True)
class ScoredGroups:
    """The scores of each group, one per seed, and the groups with only some of their questions answered."""

    scores: Mapping[str, list[float]]
    incomplete: frozenset[str]


def groups_of(pack: Pack, strategy: str) -> dict[str, PackGroup]:
    """The groups of the questions that this strategy asks; {} if the benchmark has none."""
    benchmark = BENCHMARKS.get(pack.benchmark)
    if benchmark is None or benchmark.groups is None:
        return {}
    kinds = next((one.kinds for one in benchmark.strategies if one.name == strategy), ())
    items = pack.items.filter(kind__in=kinds).exclude(group="")
    labels = labels_of_groups(items)
    found: dict[str, list[Item]] = {}
    for item in items.order_by("group", "place", "pk").only("group", "rule", "options"):
        found.setdefault(item.group, []).append(item)
    size = benchmark.groups.size
    return {name: _group(members, size, labels[members[0].pk]) for name, members in found.items()}


def _group(members: list[Item], size: int, label: int) -> PackGroup:
    rule = members[0].rule
    chance = guessed(rule, [1 / len(item.options) if item.options else 0.0 for item in members])
    return PackGroup(tuple(item.pk for item in members), rule, chance, size in (0, len(members)), label)


def scored_groups(scores: QuerySet[Score], groups: Mapping[str, PackGroup]) -> ScoredGroups:
    """The group scores that follow from these scores of one run."""
    place_of = {item: (name, place) for name, group in groups.items() for place, item in enumerate(group.items)}
    rows = scores.order_by().values_list(f"{CELL}__item_id", f"{CELL}__seed", "value")
    answers = [(*place_of[item], seed, value) for item, seed, value in rows.iterator() if item in place_of]
    sizes = {name: len(group.items) for name, group in groups.items() if group.is_whole}
    found = group_scores(answers, {name: group.rule for name, group in groups.items()}, sizes)
    return ScoredGroups(found, frozenset(Counter(name for name, *_ in answers).keys() - found.keys()))
