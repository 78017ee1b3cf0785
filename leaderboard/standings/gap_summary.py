"""The gap between people and models on the items of one pack that both answered."""

from dataclasses import dataclass

from benchmarks.definitions.definition import Benchmark, Level
from evaluation.runs.builtin_models import HEURISTICS
from leaderboard.models import Comparison, RowKind, Standing


@dataclass(frozen=True)
class Gap:
    """People and the best model on one level of a benchmark, with their paired difference where there is one."""

    level: Level
    people: Standing | None
    model: Standing | None
    comparison: Comparison | None

    @property
    def people_score(self) -> float | None:
        return score_on(self.people, self.level)

    @property
    def model_score(self) -> float | None:
        return score_on(self.model, self.level)


def gaps_of(benchmark: Benchmark) -> list[Gap]:
    """One gap for each level: the pair where a model does best against people, else the rows of the newest packs."""
    rows = list(
        Standing.objects.filter(pack__benchmark=benchmark.slug)
        .exclude(kind=RowKind.SIMULATED)
        .exclude(run__model__kind__in=HEURISTICS)  # a lucky coin says nothing about models
        .select_related("pack", "run__model", "trial")
        .order_by("-pack_id", "pk")
    )
    paired = Comparison.objects.filter(n__gt=0, first__in=[row.pk for row in rows if row.kind == RowKind.HUMAN])
    return [_gap(level, rows, list(paired.order_by("difference"))) for level in benchmark.levels]


def _gap(level: Level, rows: list[Standing], paired: list[Comparison]) -> Gap:
    on_level = {row.pk: row for row in rows if score_on(row, level) is not None}
    nearest = next((one for one in paired if one.first_id in on_level and one.second_id in on_level), None)
    if nearest:
        return Gap(level, on_level[nearest.first_id], on_level[nearest.second_id], nearest)
    people = next((row for row in on_level.values() if row.kind == RowKind.HUMAN), None)
    models = [row for row in on_level.values() if row.kind != RowKind.HUMAN]
    newest = [row for row in models if row.pack_id == models[0].pack_id]
    best = max(newest, key=lambda row: score_on(row, level) or 0.0, default=None)
    return Gap(level, people, best, None)


def score_on(standing: Standing | None, level: Level) -> float | None:
    if standing is None:
        return None
    cell = standing.cells.get("level", {}).get(level.number)
    return cell["score"] if cell else None
