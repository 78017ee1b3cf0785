"""Figures of surprise of a run (measures/detection/surprise.py), stored with its standings: overall and by test.

Only clips with a public answer count, in pairs of twins: the same scene, possible and impossible.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.packs.item_arrays import Mask, PackFacts
from evaluation.models import ModelResponse, Run
from evaluation.parsing.numeric_replies import surprises_in
from evaluation.prompting.strategies import STRATEGIES
from leaderboard.standings.stored_cells import StoredCell, UnstoredStanding, by_value, rounded
from measures.estimate import figures_of_pairs
from measures.scores.clip_surprise import ClipSurprise, NotSurprises, of_clip, paired

SURPRISE = "surprise"  # of a stored overall cell


@dataclass(frozen=True)
class RunSurprises:
    """The surprises of a run by key of the item, with the twin, the truth and the place in the pack of each."""

    clips: dict[str, ClipSurprise]
    twins: dict[str, str]
    possible: dict[str, bool]
    places: dict[str, int]
    groups: tuple[str, ...]  # facets

    def figures(self, items: Mask) -> StoredCell | None:
        """The figures over the pairs among these items; None without a pair."""
        within = {key: clip for key, clip in self.clips.items() if items[self.places[key]]}
        found = figures_of_pairs(paired(within, self.twins, self.possible))
        return rounded(asdict(found)) if found else None


def surprises_of(run: Run, facts: PackFacts) -> RunSurprises | None:
    """The surprises of this run, the mean over its seeds; None, without a query, if its strategy gives none."""
    benchmark = BENCHMARKS.get(run.pack.benchmark)
    if run.strategy not in STRATEGIES or not STRATEGIES[run.strategy].by_surprise or benchmark is None:
        return None
    twin_key = benchmark.twin_key
    rows = with_expected(run.pack.items.all(), to=SCORER).values_list("pk", "key", "expected")
    known = {pk: (key, expected == "yes") for pk, key, expected in rows if expected is not None}
    surprises: dict[str, list[ClipSurprise]] = {}
    places: dict[str, int] = {}
    for item, raw in ModelResponse.objects.filter(cell__run=run).order_by("pk").values_list("cell__item_id", "raw"):
        place = int(facts.places(np.array([item]))[0])
        if item in known and facts.is_askable[place] and not facts.is_hidden[place] and (clip := _clip(raw)):
            surprises.setdefault(known[item][0], []).append(clip)
            places[known[item][0]] = place
    return RunSurprises(
        clips={key: _mean(found) for key, found in surprises.items()},
        twins={key: twin_key(key) for key in surprises} if twin_key else {},
        possible=dict(known.values()),
        places=places,
        groups=benchmark.level(benchmark.strategy(run.strategy).level).groups,
    )


def _clip(raw: str) -> ClipSurprise | None:
    try:
        return of_clip(surprises_in(raw)[0])
    except NotSurprises:
        return None


def _mean(found: list[ClipSurprise]) -> ClipSurprise:
    return ClipSurprise(float(np.mean([one.mean for one in found])), float(np.mean([one.most for one in found])))


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    """Add the figures on each row's split: over all pairs, and by each value of the level's facets."""
    if found := surprises_of(run, facts):
        for row in rows:
            row.overall[SURPRISE] = by_value(found.figures, facts, found.groups, row.split)
