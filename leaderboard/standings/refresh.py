"""Standings, the rows of the boards: recomputed when answers change, never per page view."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.signals import post_save
from django.dispatch import Signal, receiver

from benchmarks.definitions.registry import BENCHMARKS, telling
from benchmarks.models import Pack
from benchmarks.models.public_ids import ids_rotated
from benchmarks.packs.item_arrays import Chances, Mask, PackFacts, chances_of_items, facts_of, with_stated_chances
from evaluation.models import Model, Reading, Run, RunKind
from evaluation.runs import tallies
from evaluation.runs.tallies import RunTally
from humantrials.models import Trial
from humantrials.results.moments import asks_for_moments
from humantrials.results.release import may_show_people, may_show_scores
from leaderboard.board_analysis import analyses
from leaderboard.models import Comparison, EvidenceTier, Extremes, ItemScores, RowKind, Standing
from leaderboard.standings import human_rows, item_scores, rank_tests
from leaderboard.standings.paired_differences import compare_with_people
from leaderboard.standings.stored_cells import (
    GroupTally,
    StoredCell,
    UnstoredStanding,
    add_group_cells,
    facet_cells,
    group_tally,
    overall_cell,
)

Cells = dict[str, dict[str, StoredCell]]  # facet -> value -> cell

# Facets that every row is grouped by, whether or not its benchmark defines them.
ALWAYS = ("level", "split")

# Tells cached boards and open pages of new figures. Sent with `slugs`, the benchmarks whose rows were computed.
standings_refreshed = Signal()
COLUMNS = ("kind", "name", "revision", "strategy", "condition", "identity", "cells", "overall")


@dataclass(frozen=True)
class Refreshed:
    """How many sources a refresh computed, and how many rows it dropped."""

    computed: int
    dropped: int


def refresh() -> Refreshed:
    """Compute missing and stale rows and drop those that left the board. Safe to run twice and concurrently."""
    runs = list(stale_runs().select_related("model", "pack"))
    trials = [trial for trial in stale_trials().select_related("pack") if has_rows(trial)]
    facts = cache(facts_of)  # several runs on one pack read its items once
    _compute(runs, trials, facts)
    dropped = drop_departed()
    set_tiers()
    compare_with_people()
    rank_tests.refresh(facts)
    slugs = {run.pack.benchmark for run in runs} | {trial.pack.benchmark for trial in trials}
    standings_refreshed.send(Standing, slugs=slugs)
    return Refreshed(len(runs) + len(trials), dropped)


def recompute(pack: Pack) -> None:
    """Recompute all rows of a pack after facets of its items changed but no answers."""
    trials = Trial.objects.filter(pack=pack, judgments__counts=True).distinct().select_related("pack")
    runs = Run.objects.on_the_board_of(pack).select_related("model", "pack")
    _compute(runs, filter(has_rows, trials), cache(facts_of))
    refresh()
    standings_refreshed.send(Standing, slugs={pack.benchmark})


def _compute(runs: Iterable[Run], trials: Iterable[Trial], facts: Callable[[Pack], PackFacts]) -> None:
    for run in runs:
        store(rows_of_run(run, facts(run.pack)), source=run, version=run.answers_version)
    for trial in trials:
        store(rows_of_people(trial), source=trial, version=trial.answers_version)


def has_rows(trial: Trial) -> bool:
    """Whether the trial's figures may be published: accuracy on boards, or moments on their own page."""
    return may_show_scores(trial) or (asks_for_moments(trial) and may_show_people(trial))


def rows_of_people(trial: Trial) -> list[UnstoredStanding]:
    """The rows of a study with the figures of analyses; without accuracy, those that have such figures."""
    rows = human_rows.rows_without_scores(trial) if asks_for_moments(trial) else human_rows.rows_of_trial(trial)
    facts, nothing = facts_of(trial.pack), human_rows.cell_of_votes([])
    for one in analyses().values():
        if one.of_people:
            one.of_people(trial, facts, rows)
    return [row for row in rows if row.overall != nothing]


def stale_runs() -> QuerySet[Run]:
    """Runs on the board without a standing of their current answers."""
    own = Standing.objects.filter(run=OuterRef("pk"), split=OuterRef("split"))
    return Run.objects.on_the_board().exclude(Exists(own.filter(source_version=OuterRef("answers_version"))))


def stale_trials() -> QuerySet[Trial]:
    """Trials with counted judgments that have no standing of their current answers."""
    own = Standing.objects.filter(trial=OuterRef("pk"), source_version=OuterRef("answers_version"))
    of_its_kind = Q(is_simulated=True, kind=RowKind.SIMULATED) | Q(is_simulated=False, kind=RowKind.HUMAN)
    own = own.annotate(is_simulated=F("trial__is_simulated")).filter(of_its_kind)
    return Trial.objects.filter(judgments__counts=True).distinct().exclude(Exists(own))


def drop_departed() -> int:
    """Delete standings of runs no longer on the board and of trials without votes or with results not shown yet."""
    runs = Standing.objects.filter(run__isnull=False).exclude(run__in=Run.objects.on_the_board())
    published = [trial.pk for trial in Trial.objects.filter(judgments__counts=True).distinct() if has_rows(trial)]
    trials = Standing.objects.filter(trial__isnull=False).exclude(trial__in=published)
    dropped = 0
    for departed in (runs, trials):
        if keys := list(departed.values_list("pk", flat=True)):
            dropped += len(keys)
            forget_twins_of(keys)
            Standing.objects.filter(pk__in=keys).delete()
    return dropped


@transaction.atomic
def store(rows: list[UnstoredStanding], *, source: Run | Trial, version: int) -> set[int]:
    """Write the rows of one run or trial; an older computation never replaces a newer one."""
    own: dict[str, Any] = {"trial" if isinstance(source, Trial) else "run": source}
    stored_versions = Standing.objects.select_for_update().filter(**own).values_list("source_version", flat=True)
    if max(stored_versions, default=version) > version:
        return set()
    changed = set()
    for row in rows:
        values = {name: getattr(row, name) for name in COLUMNS}
        defaults = values | {"pack_id": source.pack_id, "source_version": version, "tier": ""}
        place = own | {"split": row.split} | ({"condition": row.condition} if "trial" in own else {})
        stored, _ = Standing.objects.update_or_create(**place, defaults=defaults)
        changed.add(stored.pk)
        if row.extremes is not None:
            Extremes.objects.update_or_create(standing=stored, defaults={"packed": row.extremes})
        for dimension, packed in row.item_scores.items():
            ItemScores.objects.update_or_create(standing=stored, dimension=dimension, defaults={"packed": packed})
    Standing.objects.filter(**own).exclude(pk__in=changed).delete()
    Comparison.objects.filter(Q(first__in=changed) | Q(second__in=changed)).delete()  # recomputed from the new rows
    return changed


@dataclass(frozen=True)
class Grouping:
    """The facets to group by, those that give answers away, the number of seeds, and the chance level of each value."""

    names: tuple[str, ...]
    telling: frozenset[str]
    seeds: int
    chances: Chances  # from the items' options
    drawn: Chances  # as the boards' columns show it
    groups: GroupTally | None = None  # of questions, scored together


def rows_of_run(run: Run, facts: PackFacts | None = None) -> list[UnstoredStanding]:
    """A row for the run's own split, and one for each other split that it answered completely."""
    facts = facts or facts_of(run.pack)
    (of_its_kinds, splits), answered = tallies.run_items(run, facts), tallies.answered_by(run, facts)
    chances = chances_of_items(facts, of_its_kinds)
    stated = with_stated_chances(chances, run.pack.benchmark, run.strategy)
    apart = {name: tallies.answered_by(run, facts, name) for name in tallies.dimensions_of(run)}
    extremes = item_scores.packed_extremes(apart.get("accuracy") if run.referee else answered)
    names, tells = tuple(facet_names(run.pack.benchmark)), telling(run.pack.benchmark)
    grouping = Grouping(names, tells, len(run.seeds), chances, stated, group_tally(run, facts))
    rows = [_row_of_run(run, split, answered, grouping, apart) for split in splits]
    for one in analyses().values():
        if one.of_run:
            one.of_run(run, facts, rows)
    scores = {name: item_scores.packed(tally) for name, tally in {"": answered, **apart}.items()}
    return [replace(row, extremes=extremes, item_scores=scores) if row.split == run.split else row for row in rows]


def _row_of_run(
    run: Run, split: str, answered: RunTally, grouping: Grouping, apart: dict[str, RunTally]
) -> UnstoredStanding:
    overall, cells = measured(answered, split, grouping)
    for dimension, scored in apart.items():
        _add_dimension(overall, cells, dimension, measured(scored, split, grouping))
    return UnstoredStanding(
        split=split,
        kind=RowKind.UPLOADED if run.kind == RunKind.UPLOADED else RowKind.RUN,
        name=run.model.name,
        revision=run.revision,
        strategy=run.strategy,
        condition=run.condition,
        identity=run.identity,
        overall=overall,
        cells=cells,
    )


def _add_dimension(overall: StoredCell, cells: Cells, dimension: str, scored: tuple[StoredCell, Cells]) -> None:
    """Add the scores on this dimension alone to the overall cell and to each facet cell."""
    whole, values = scored
    overall.setdefault("dimensions", {})[dimension] = whole
    for facet, found in values.items():
        for value, cell in found.items():
            cells[facet][value].setdefault("dimensions", {})[dimension] = cell


def measured(answered: RunTally, split: str, by: Grouping) -> tuple[StoredCell, Cells]:
    """The overall cell and the facet cells of a run on one split, each also without the items under caution."""
    facts = answered.facts
    within = answered.within(facts.with_facet("split", split))
    is_cautious, in_split = facts.with_facet("caution"), facts.with_facet("split", split)
    overall, cells = _figures(within, split, by, in_split)
    if is_cautious.any():
        without_cautioned = in_split & ~is_cautious
        overall["careful"], cells_without = _figures(within.within(~is_cautious), split, by, without_cautioned)
        _add_without_cautioned(cells, cells_without)
    return overall, cells


def _figures(within: RunTally, split: str, by: Grouping, items: Mask) -> tuple[StoredCell, Cells]:
    overall = overall_cell(within, by.chances.get(("split", split)), seeds=by.seeds)
    cells = facet_cells(within, [*by.names], by.chances, by.drawn, telling=by.telling, seeds=by.seeds)
    if by.groups:
        add = partial(add_group_cells, items=items, telling=by.telling, seeds=by.seeds)
        add(overall, cells, by.groups, within.facts)
    return overall, cells


def _add_without_cautioned(cells: dict[str, dict[str, StoredCell]], without: dict[str, dict[str, StoredCell]]) -> None:
    """Add to each cell its form without items under caution if that differs; None if no item is left."""
    for name, values in cells.items():
        for value, cell in values.items():
            other = without.get(name, {}).get(value)
            if other is None or other["n"] != cell["n"]:
                cell["careful"] = other


def facet_names(slug: str) -> list[str]:
    """Names of the facets that this benchmark's rows are grouped by."""
    defined = [facet.name for facet in BENCHMARKS[slug].facets] if slug in BENCHMARKS else []
    return sorted({*ALWAYS, *defined} - {"caution"})


@receiver(post_save, sender=Model)
def follow_the_model(sender: type[Model], instance: Model, created: bool, **kwargs: Any) -> None:
    """Rename and touch the model's standings so that cached boards are invalidated (board.cache.version_of)."""
    if not created:
        Standing.objects.filter(run__model=instance).touch(name=instance.name)


@receiver(post_save, sender=Pack)
def follow_the_pack(sender: type[Pack], instance: Pack, created: bool, **kwargs: Any) -> None:
    """Touch one standing of the pack, preferably not a human one: its date is shown on the home page."""
    if not created:
        rows = Standing.objects.filter(pack=instance).order_by("pk").values_list("pk", flat=True)
        Standing.objects.filter(pk__in=[*rows.exclude(kind=RowKind.HUMAN)[:1]] or [*rows[:1]]).touch()


@receiver(ids_rotated)
def follow_the_ids(sender: type[Pack], pack: Pack, **kwargs: Any) -> None:
    """Invalidate cached pages and lists of the pack, which show public ids or are sorted by them."""
    Run.objects.filter(pack=pack).update(answers_version=F("answers_version") + 1)
    Trial.objects.filter(pack=pack).update(answers_version=F("answers_version") + 1)
    Standing.objects.filter(pack=pack).touch()


def set_tiers() -> None:
    """Set the tier of every row without one, and again of rows with the same identity."""
    rows = Standing.objects.filter(tier="").exclude(kind=RowKind.SIMULATED)
    for pack, kind, identity in set(rows.values_list("pack_id", "kind", "identity")):
        alike = Standing.objects.filter(pack=pack, kind=kind, identity=identity)
        if RowKind(kind).is_measured_people:
            alike.touch(tier=EvidenceTier.RUN)
        else:
            _set_tiers_of(list(Run.objects.filter(standings__in=alike).distinct().order_by("pk")))


def forget_twins_of(departing: list[int]) -> None:
    """Clear the tiers of rows that share their identity with these standings, which leave the board."""
    identities = Standing.objects.filter(pk__in=departing, tier=EvidenceTier.REPEATED).values("identity")
    Standing.objects.filter(identity__in=identities).update(tier="")


def _set_tiers_of(runs: list[Run]) -> None:
    tiers = {run.pk: _tier_alone(run) for run in runs}
    own = [run for run in runs if tiers[run.pk] == EvidenceTier.RUN]
    if len(own) > 1:
        digests = {run.pk: _digest_of(run) for run in own}
        seen = list(digests.values())
        tiers |= {pk: EvidenceTier.REPEATED for pk, digest in digests.items() if seen.count(digest) > 1}
    for pk, tier in tiers.items():
        Standing.objects.filter(run=pk).exclude(tier=tier).touch(tier=tier)


def _tier_alone(run: Run) -> EvidenceTier:
    """The tier of a run, ignoring other runs with its identity."""
    if run.kind != RunKind.UPLOADED:
        return EvidenceTier.RUN
    return EvidenceTier.RESCORED if run.card.get("given") == "reply" else EvidenceTier.UPLOADED


def _digest_of(run: Run) -> str:
    """SHA-256 over the parsed answer to each question and seed; over the replies themselves if they are refereed."""
    own = Reading.objects.filter(response__cell__run=run, parser=run.parser, version=run.parser_version)
    field = "response__raw" if run.referee else "answer"
    rows = own.order_by("response__cell__item", "response__cell__seed")
    digest = hashlib.sha256()
    for row in rows.values_list("response__cell__item", "response__cell__seed", field, "problem").iterator():
        digest.update(repr(row).encode())
    return digest.hexdigest()
