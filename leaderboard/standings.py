"""Standings: rows of the boards, recomputed when answers change and never per view."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from benchmarks.registry import BENCHMARKS
from evaluation.models import Run
from humantrials.models import Trial
from humantrials.results import are_shown
from leaderboard import dividing, people, tallies
from leaderboard.caching import forget_versions
from leaderboard.cells import Chances, Row, StoredCell, cell_of, cells_of
from leaderboard.comparing import compare_with_people
from leaderboard.hints import tell_boards
from leaderboard.models import Comparison, Extremes, RowKind, Standing
from leaderboard.pack_facts import PackFacts, facts_of
from leaderboard.tallies import Answered

Cells = dict[str, dict[str, StoredCell]]  # facet -> value -> cell

# Facets that every row is grouped by, whatever its benchmark's definition says.
ALWAYS = ("level", "split")


@dataclass(frozen=True)
class Refreshed:
    """What a refresh did."""

    computed: int
    dropped: int


def refresh() -> Refreshed:
    """Compute what is missing or stale and drop what left the board. Safe to run twice and side by side."""
    runs = list(stale_runs().select_related("model", "pack"))
    trials = [trial for trial in stale_trials().select_related("pack") if are_shown(trial)]
    facts = cache(facts_of)  # several runs on one pack read its items once
    for run in runs:
        store(rows_of_run(run, facts(run.pack)), source={"run": run}, version=run.answers_version)
    for trial in trials:
        store(people.rows_of_trial(trial), source={"trial": trial}, version=trial.answers_version)
    dropped = drop_departed()
    compare_with_people()
    forget_versions()
    tell_boards({run.pack.benchmark for run in runs} | {trial.pack.benchmark for trial in trials})
    return Refreshed(len(runs) + len(trials), dropped)


def stale_runs() -> QuerySet[Run]:
    """Runs on the board without a standing of their present answers, or with one from before extremes were kept."""
    own = Standing.objects.filter(run=OuterRef("pk"), split=OuterRef("split"), extremes__isnull=False)
    return Run.objects.on_the_board().exclude(Exists(own.filter(source_version=OuterRef("answers_version"))))


def stale_trials() -> QuerySet[Trial]:
    """Trials with counted judgments whose standings are of earlier ones."""
    own = Standing.objects.filter(trial=OuterRef("pk"), source_version=OuterRef("answers_version"))
    of_its_kind = Q(is_simulated=True, kind=RowKind.SIMULATED) | Q(is_simulated=False, kind=RowKind.HUMAN)
    own = own.annotate(is_simulated=F("trial__is_simulated")).filter(of_its_kind)
    return Trial.objects.filter(judgments__counts=True).distinct().exclude(Exists(own))


def drop_departed() -> int:
    """Delete standings of runs that are on the board no more, and of trials without votes or not yet to be shown."""
    runs = Standing.objects.filter(run__isnull=False).exclude(run__in=Run.objects.on_the_board())
    shown = [trial.pk for trial in Trial.objects.filter(judgments__counts=True).distinct() if are_shown(trial)]
    trials = Standing.objects.filter(trial__isnull=False).exclude(trial__in=shown)
    dropped = 0
    for departed in (runs, trials):
        keys = list(departed.values_list("pk", flat=True))
        dropped += len(keys)
        Standing.objects.filter(pk__in=keys).delete()
    return dropped


@transaction.atomic
def store(rows: list[Row], *, source: dict[str, Any], version: int) -> set[int]:
    """Write the rows of one run or trial; an older computation never replaces a newer one."""
    standing = Standing.objects.select_for_update().filter(**source)
    if standing.filter(source_version__gt=version).exists():
        return set()
    changed = set()
    for row in rows:
        values = {name: getattr(row, name) for name in COLUMNS}
        defaults = values | {"pack_id": _pack_of(source), "source_version": version}
        place: dict[str, Any] = {"split": row.split} | ({"condition": row.condition} if "trial" in source else {})
        stored, _ = Standing.objects.update_or_create(**place, **source, defaults=defaults)
        changed.add(stored.pk)
        if row.extremes is not None:
            Extremes.objects.update_or_create(standing=stored, defaults={"packed": row.extremes})
    Standing.objects.filter(**source).exclude(pk__in=changed).delete()
    Comparison.objects.filter(Q(first__in=changed) | Q(second__in=changed)).delete()  # made again from what stands now
    return changed


COLUMNS = ("kind", "name", "revision", "strategy", "condition", "identity", "cells", "overall")


def _pack_of(source: dict[str, Any]) -> int:
    return next(iter(source.values())).pack_id


@dataclass(frozen=True)
class Guessing:
    """What guessing gets on each facet value: by the items' options, and as the boards' columns draw it."""

    chances: Chances
    drawn: Chances


def rows_of_run(run: Run, facts: PackFacts | None = None) -> list[Row]:
    """One row a split that the run answered completely, and one for its own."""
    facts = facts or facts_of(run.pack)
    asked, answered = tallies.asked_of(run, facts), tallies.answered_by(run, facts)
    chances = tallies.chances(facts, asked.of_its_kinds)
    guessing = Guessing(chances, guessing_in(run, chances))
    apart = {name: tallies.answered_by(run, facts, name) for name in tallies.dimensions_of(run)}
    extremes = dividing.packed(apart.get("accuracy") if run.referee else answered)
    rows = [_row_of_run(run, split, answered, guessing, apart) for split in asked.splits]
    return [replace(row, extremes=extremes) if row.split == run.split else row for row in rows]


def _row_of_run(run: Run, split: str, answered: Answered, guessing: Guessing, apart: dict[str, Answered]) -> Row:
    names = facet_names(run.pack.benchmark)
    overall, cells = measured(answered, split, guessing, names)
    for dimension, scored in apart.items():
        _add_dimension(overall, cells, dimension, measured(scored, split, guessing, names))
    return Row(
        split=split,
        kind=RowKind.UPLOADED if run.kind == RowKind.UPLOADED else RowKind.RUN,
        name=run.model.name,
        revision=run.revision,
        strategy=run.strategy,
        condition=run.condition,
        identity=run.identity,
        overall=overall,
        cells=cells,
    )


def _add_dimension(overall: StoredCell, cells: Cells, dimension: str, scored: tuple[StoredCell, Cells]) -> None:
    """Keep beside each mean what was scored on this dimension alone."""
    whole, values = scored
    overall.setdefault("dimensions", {})[dimension] = whole
    for facet, found in values.items():
        for value, cell in found.items():
            cells[facet][value].setdefault("dimensions", {})[dimension] = cell


def measured(answered: Answered, split: str, guessing: Guessing, names: list[str]) -> tuple[StoredCell, Cells]:
    """Overall and cells of a run on one split, each with its form without the items under caution."""
    facts, chance = answered.facts, guessing.chances.get(("split", split))
    within = answered.within(facts.with_facet("split", split))
    overall = cell_of(tallies.overall(within), chance, chance)
    cells = cells_of(tallies.by_facet(within, names), guessing.chances, guessing.drawn)
    is_cautious = facts.with_facet("caution")
    if is_cautious.any():
        careful = within.within(~is_cautious)
        overall["careful"] = cell_of(tallies.overall(careful), chance, chance)
        _add_careful(cells, cells_of(tallies.by_facet(careful, names), guessing.chances, guessing.drawn))
    return overall, cells


def guessing_in(run: Run, chances: Chances) -> Chances:
    """What guessing gets in each column of the boards, as they draw it: stated by the definition, else measured."""
    benchmark = BENCHMARKS.get(run.pack.benchmark)
    known = {strategy.name: strategy for strategy in benchmark.strategies} if benchmark else {}
    if benchmark is None or run.strategy not in known:
        return chances
    groups = benchmark.level(known[run.strategy].level).groups
    values = [(name, value.value) for name in groups for value in benchmark.facet(name).values]
    stated = {key: benchmark.chance(run.strategy, key[1]) for key in values}
    return {**chances, **{key: chance for key, chance in stated.items() if chance is not None}}


def _add_careful(cells: dict[str, dict[str, StoredCell]], careful: dict[str, dict[str, StoredCell]]) -> None:
    """Keep the careful form where it differs; None where nothing is left."""
    for name, values in cells.items():
        for value, cell in values.items():
            other = careful.get(name, {}).get(value)
            if other is None or other["n"] != cell["n"]:
                cell["careful"] = other


def facet_names(slug: str) -> list[str]:
    """What the rows of this benchmark are grouped by."""
    defined = [facet.name for facet in BENCHMARKS[slug].facets] if slug in BENCHMARKS else []
    return sorted({*ALWAYS, *defined} - {"caution"})
