"""The difference between public and fresh scores for each model of a round."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.models import ItemFacet, Pack
from benchmarks.packs.item_arrays import PackFacts, facts_of
from evaluation.models import Run
from leaderboard.models import SealedRound
from leaderboard.standings.item_scores import read_item_scores
from measures.estimate import FreshGap, ScoredItems, family, fresh_gap, stands
from measures.ranking import ordered

SAME = ("model_id", "revision", "strategy", "condition", "split", "sampler", "parser", "referee")


@dataclass(frozen=True)
class FreshRow:
    """One model's two runs and its gap, None on too few clips; `p_holm` is over all rows of the round."""

    run: Run
    gap: FreshGap | None
    p_holm: float | None = None

    @property
    def is_flagged(self) -> bool:
        return stands(self.p_holm)


def rows_of(one: SealedRound) -> list[FreshRow]:
    """The models on both boards of the round, the largest gap first, those without a gap last."""
    if one.fresh is None:
        return []
    rows = list(_rows(one.public, one.fresh))
    adjusted = family([row.gap.p if row.gap else None for row in rows])
    known = [replace(row, p_holm=p) for row, p in zip(rows, adjusted, strict=True)]
    return ordered(known, key=lambda row: row.gap.gap if row.gap else None)


def _rows(public: Pack, fresh: Pack) -> Iterator[FreshRow]:
    sides = [_runs(pack) for pack in (public, fresh)]
    both = [same for same in sides[1] if same in sides[0]]
    scored = [
        _scored([side[same].pk for same in both], pack) for side, pack in zip(sides, (public, fresh), strict=True)
    ]
    for same in both:
        here, there = scored[0].get(sides[0][same].pk), scored[1].get(sides[1][same].pk)
        yield FreshRow(sides[1][same], fresh_gap(here, there) if here and there else None)


def _runs(pack: Pack) -> dict[tuple, Run]:
    """The newest run of each model and prompting."""
    runs = Run.objects.on_the_board_of(pack).select_related("model").order_by("pk")
    return {tuple(getattr(run, name) for name in SAME): run for run in runs}


def _scored(runs: list[int], pack: Pack) -> dict[int, ScoredItems]:
    facts = facts_of(pack)
    parts = _parts(pack, facts)
    found = {}
    for run, totals, sizes in read_item_scores(runs, "", facts):
        chosen = (sizes > 0) & ~facts.is_hidden
        scores = totals[chosen] / sizes[chosen]
        found[run] = ScoredItems(scores, parts[chosen], facts.labels[chosen])
    return found


def _parts(pack: Pack, facts: PackFacts) -> np.ndarray:
    """The test of each item, else its kind of question."""
    known = dict(ItemFacet.objects.filter(item__pack=pack, name="test").order_by("-value").values_list("item", "value"))
    return np.array([known.get(int(item), kind) for item, kind in zip(facts.items, facts.kinds, strict=True)], str)
