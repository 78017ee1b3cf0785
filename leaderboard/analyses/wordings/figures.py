"""The spread of a run's accuracy over the wordings of its questions, stored with its standings."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.definitions.wordings import PromptWording
from benchmarks.packs.item_arrays import PackFacts
from evaluation.models import Run, RunKind
from leaderboard.standings import tallies
from leaderboard.standings.stored_cells import UnstoredStanding, rounded
from measures.estimate import wording_spread

WORDINGS = "wordings"  # of a stored overall cell


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    for row in rows:
        if found := wordings_on(run, facts, row.split):
            row.overall[WORDINGS] = found


def spread(figures: Mapping[str, Any]) -> str:
    """`5 wordings: 48.0 to 61.0 %`."""
    scores = [100 * one["score"] for one in figures["each"]]
    words = {"count": len(scores), "low": f"{min(scores):.1f}", "high": f"{max(scores):.1f}"}
    return "{count} wordings: {low} to {high} %".format(**words)


def wordings_of(run: Run) -> tuple[PromptWording, ...]:
    """The wordings of the run's questions; () if there is only one."""
    benchmark = BENCHMARKS.get(run.pack.benchmark)
    known = {one.name: one.wordings for one in benchmark.strategies} if benchmark and run.kind == RunKind.RUN else {}
    all_of_them = known.get(run.strategy, ())
    return tuple(all_of_them[seed] for seed in run.seeds if seed < len(all_of_them))


def wordings_on(run: Run, facts: PackFacts, split: str) -> dict[str, Any] | None:
    """Figures on the public items of this split that were answered in all wordings; None with a single wording."""
    wordings = wordings_of(run)
    if len(wordings) < 2:
        return None
    scores = tallies.scores_in_split(run, split).on_public_items()
    table: dict[int, dict[int, float]] = defaultdict(dict)
    for item, seed, value in scores.order_by().values_list(
        f"{tallies.ITEM}_id", "reading__response__cell__seed", "value"
    ):
        table[item][seed] = value
    whole = {item: [found[seed] for seed in run.seeds] for item, found in table.items() if len(found) == len(run.seeds)}
    if not whole:
        return None
    clusters = facts.clusters[facts.places(np.array([*whole], np.int64))]
    spread = wording_spread([*whole.values()], clusters.tolist())
    named = [
        {"name": wording.name, "what": wording.what, "ours": wording.ours, "score": score}
        for wording, score in zip(wordings, spread.scores, strict=True)
    ]
    ends = {"low": None, "high": None} if spread.interval is None else asdict(spread.interval)
    seen = {"seen": spread.seen, "chance": spread.chance, "own": spread.own}
    return rounded({"n": len(whole), "each": named, **seen, **ends})
