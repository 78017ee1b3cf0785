"""How far models are from people, where both answered the same items of one pack."""

from dataclasses import dataclass

from benchmarks.definition import Benchmark, Level
from evaluation.catalogue import HEURISTICS
from leaderboard.models import Comparison, RowKind, Standing


@dataclass(frozen=True)
class Gap:
    """One level of one benchmark: the best that people and models did, and the difference where it is known."""

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
    """One a level, from the standings of the newest pack where people answered, else of the newest."""
    rows = list(
        Standing.objects.filter(pack__benchmark=benchmark.slug)
        .exclude(kind=RowKind.SIMULATED)
        .exclude(run__model__kind__in=HEURISTICS)  # a coin that was lucky is not how far models are
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
