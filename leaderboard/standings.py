"""Standings: rows of the boards, recomputed when answers change and never per view."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from benchmarks.models import ItemFacet
from benchmarks.registry import BENCHMARKS
from evaluation.models import Cell, Run
from evaluation.prompting import STRATEGIES
from humantrials.models import Trial
from humantrials.results import are_shown
from leaderboard import people, tallies
from leaderboard.cells import Chances, Row, StoredCell, cell_of, cells_of
from leaderboard.comparing import compare_with_people
from leaderboard.models import RowKind, Standing

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
    changed: set[int] = set()
    for run in runs:
        changed |= store(rows_of_run(run), source={"run": run}, version=run.answers_version)
    for trial in trials:
        changed |= store(people.rows_of_trial(trial), source={"trial": trial}, version=trial.answers_version)
    dropped = drop_departed()
    if changed:
        compare_with_people(changed)
        # A page drawn between rows and comparisons lacks these: whoever keeps pages by this time draws it again.
        Standing.objects.filter(pk__in=changed).update(computed_at=timezone.now())
    return Refreshed(len(runs) + len(trials), dropped)


def stale_runs() -> QuerySet[Run]:
    """Runs on the board without a standing of their present answers."""
    own = Standing.objects.filter(run=OuterRef("pk"), split=OuterRef("split"))
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
        changed.add(Standing.objects.update_or_create(**place, **source, defaults=defaults)[0].pk)
    Standing.objects.filter(**source).exclude(pk__in=changed).delete()
    return changed


COLUMNS = ("kind", "name", "revision", "strategy", "condition", "identity", "cells", "overall")


def _pack_of(source: dict[str, Any]) -> int:
    return next(iter(source.values())).pack_id


def rows_of_run(run: Run) -> list[Row]:
    """One row a split that the run answered completely, and one for its own."""
    return [_row_of_run(run, split) for split in tallies.splits_answered(run)]


def _row_of_run(run: Run, split: str) -> Row:
    overall, cells = measured(run, split)
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


def measured(run: Run, split: str) -> tuple[StoredCell, dict[str, dict[str, StoredCell]]]:
    """Overall and cells of a run on one split, each with its form without the items under caution."""
    scores = tallies.scores_in_split(run, split)
    if run.strategy in STRATEGIES and STRATEGIES[run.strategy].needs_example:
        scores = tallies.with_examples(scores)
    kinds = Cell.objects.filter(run=run).order_by().values_list("item__kind", flat=True).distinct()
    chances = tallies.chances(run.pack, list(kinds))
    names = facet_names(run.pack.benchmark)
    chance, guessing = chances.get(("split", split)), guessing_in(run, chances)
    overall = cell_of(tallies.overall(scores), chance, chance)
    cells = cells_of(tallies.by_facet(scores, names), chances, guessing)
    careful = scores.exclude(**{f"{tallies.ITEM}__in": items_under_caution(run.pack_id)})
    if items_under_caution(run.pack_id).exists():
        overall["careful"] = cell_of(tallies.overall(careful), chance, chance)
        _add_careful(cells, cells_of(tallies.by_facet(careful, names), chances, guessing))
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


def items_under_caution(pack_id: int) -> QuerySet:
    return ItemFacet.objects.filter(name="caution", item__pack=pack_id).values("item_id")


def facet_names(slug: str) -> list[str]:
    """What the rows of this benchmark are grouped by."""
    defined = [facet.name for facet in BENCHMARKS[slug].facets] if slug in BENCHMARKS else []
    return sorted({*ALWAYS, *defined} - {"caution"})
