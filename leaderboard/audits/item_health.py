"""Finds items that good answerers fail and poor ones pass; models and people are the respondents."""

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.disclosure import PUBLIC, SCORER, Fact, open_to, with_expected
from benchmarks.models import Item, Pack
from benchmarks.packs.item_arrays import PackFacts, facts_of
from evaluation.models import Run
from humantrials.models import Trial
from humantrials.results.judgments import judgments
from humantrials.results.release import may_show_scores
from leaderboard.standings.item_scores import read_item_scores
from measures.estimate import ItemFit, flags_by_chance, flags_of, item_rest_correlation, two_parameter_fit
from measures.scores.scoring import exact_match

FEWEST = 10  # answerers
FEWEST_ITEMS = 10  # items that an answerer must have answered


@dataclass(frozen=True)
class ItemHealth:
    """One item: its number of answers, the share right, its correlation with the rest, and its slope."""

    item: Item
    n: int
    right: float
    rest: float
    slope: float
    negative: float  # the probability that the slope is below 0


@dataclass(frozen=True)
class PackHealth:
    """The flagged items, the worst first, and the numbers of items and of answerers of each sort."""

    models: int
    people: int
    items: int
    flagged: tuple[ItemHealth, ...] = ()
    by_chance: float = 0.0  # flags to expect if every item is faultless

    @property
    def answerers(self) -> int:
        return self.models + self.people

    @property
    def is_enough(self) -> bool:
        return self.answerers >= FEWEST


def health_of(pack: Pack, kind: str) -> PackHealth:
    """The health of a pack's items of one kind; without flags if fewer than ten answered."""
    facts = facts_of(pack)
    chosen = np.flatnonzero((facts.kinds == kind) & facts.is_askable & ~facts.is_hidden)
    models, people = _models(pack, kind, facts, chosen), _people(pack, facts, chosen)
    scores = np.array([*models, *people]).reshape(len(models) + len(people), len(chosen))
    found = PackHealth(len(models), len(people), len(chosen))
    if not found.is_enough or not len(chosen):
        return found
    fit, counted = two_parameter_fit(scores), (~np.isnan(scores)).sum(axis=0) >= FEWEST
    flagged = _flagged(facts.items[chosen], scores, fit, counted)
    return replace(found, flagged=flagged, by_chance=flags_by_chance(scores, fit, counted))


def _flagged(
    items: NDArray[np.int64], scores: NDArray[np.float64], fit: ItemFit, counted: NDArray[np.bool_]
) -> tuple[ItemHealth, ...]:
    rest = item_rest_correlation(scores)
    is_flagged = flags_of(fit, rest) & counted
    rows = {int(items[place]): place for place in np.argsort(-fit.negative) if is_flagged[place]}
    visible = Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), pk__in=rows).select_related("pack").in_bulk()
    return tuple(
        ItemHealth(
            item=visible[pk],
            n=int((~np.isnan(scores[:, place])).sum()),
            right=float(np.nanmean(scores[:, place])),
            rest=float(rest[place]),
            slope=float(fit.slope[place]),
            negative=float(fit.negative[place]),
        )
        for pk, place in rows.items()
        if pk in visible
    )


def _models(pack: Pack, kind: str, facts: PackFacts, chosen: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """A row of scores for each model and way of asking on the board, without baselines; the newest of equal runs."""
    runs = (
        Run.objects.on_the_board_of(pack).filter(referee="", condition="video").select_related("model").order_by("pk")
    )
    latest = {run.identity: run.pk for run in runs if not run.is_baseline}
    found = []
    for _, totals, sizes in read_item_scores(list(latest.values()), "", facts):
        row = np.where(sizes > 0, totals / np.maximum(sizes, 1), np.nan)[chosen]
        if (~np.isnan(row)).sum() >= FEWEST_ITEMS:
            found.append(row)
    return found


def _people(pack: Pack, facts: PackFacts, chosen: NDArray[np.int64]) -> list[NDArray[np.float64]]:
    """A row of scores for each person of the studies whose results are shown; simulated people are left out."""
    expected = dict(with_expected(pack.items.order_by(), to=SCORER).values_list("pk", "expected"))
    place = {int(facts.items[one]): number for number, one in enumerate(chosen)}
    rows: dict[tuple[int, str], NDArray[np.float64]] = defaultdict(lambda: np.full(len(chosen), np.nan))
    for trial in Trial.objects.filter(pack=pack, is_simulated=False, judgments__counts=True).distinct():
        for one in judgments(trial) if may_show_scores(trial) else ():
            if one.item_id in place and (right := expected[one.item_id]) is not None:
                rows[trial.pk, one.participant_code][place[one.item_id]] = exact_match(one.answer, right)
    return [row for row in rows.values() if (~np.isnan(row)).sum() >= FEWEST_ITEMS]
