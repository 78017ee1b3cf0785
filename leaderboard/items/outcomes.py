"""Right and wrong on each item of a pack: models on its board with their kinds of errors, and people in studies whose
results are shown; all of it cached until answers change.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db.models import Count, Max, Q, QuerySet
from numpy.typing import NDArray

from benchmarks.disclosure import PUBLIC, SCORER, open_answers, with_expected
from benchmarks.gallery.page_cache import cached_value
from benchmarks.models import Item, Pack
from evaluation.models import Run
from evaluation.runs import tallies
from humantrials.models import Trial
from humantrials.results.judgments import is_mean, votes
from humantrials.results.release import may_show_scores
from leaderboard.items.reading_index import cached_rows
from leaderboard.models import Extremes
from leaderboard.standings import human_rows
from leaderboard.standings.item_scores import EXTREMES

# Choice of a list -> whether people's majority and most models were right; None = either.
WHO: dict[str, tuple[bool | None, bool | None]] = {
    "both": (True, True),
    "people": (True, False),
    "models": (False, True),
    "neither": (False, False),
    "people-right": (True, None),
    "people-wrong": (False, None),
    "models-right": (None, True),
    "models-wrong": (None, False),
}


# Of one item: the number of the board's rows that are right, and of all rows.
COUNTED = np.dtype([("item", "<i8"), ("right", "<i4"), ("n", "<i4")])


@dataclass(frozen=True)
class Share:
    """The numbers of right answerers and of all answerers."""

    right: float
    n: int


NOBODY = Share(0, 0)
Shares = Mapping[int, Share]  # by item


@dataclass(frozen=True)
class Outcomes:
    """Results by item id: shares of the board's rows, of studies' majorities and of people's votes."""

    models: Shares
    majorities: Shares
    votes: Shares

    @cached_property
    def _sets(self) -> tuple[dict[bool, set[int]], dict[bool, set[int]]]:
        """The items on which people and models were right or wrong; an even split is neither."""
        return _divided(self.majorities), _divided(self.models)

    def items(self, who: str) -> set[int]:
        """The items on which people and models were right or wrong as this choice says."""
        pairs = zip(WHO[who], self._sets, strict=True)
        return set.intersection(*(sets[wanted] for wanted, sets in pairs if wanted is not None))


def _divided(shares: Shares) -> dict[bool, set[int]]:
    return {
        True: {item for item, share in shares.items() if 2 * share.right > share.n},
        False: {item for item, share in shares.items() if 2 * share.right < share.n},
    }


def outcomes_of(pack: Pack, run: int | None = None) -> Outcomes:
    """Results on the pack's items: of most models, or of the model of this run, and of people."""
    published = [trial for trial in Trial.objects.filter(pack=pack, is_simulated=False) if may_show_scores(trial)]
    people = list(_judged(published))
    return Outcomes(_by_models(pack, run), _pooled(people, 0), _pooled(people, 1))


def _by_models(pack: Pack, run: int | None) -> dict[int, Share]:
    """Results of models: right if an item got the highest score with every seed. Cached until a row changes."""
    named = {} if run is None else {"standing__run": run}
    rows = Extremes.objects.filter(standing__pack=pack, standing__run__isnull=False, **named)
    version = rows.aggregate(n=Count("pk"), last=Max("standing__computed_at"))
    counted = cached_rows(("outcomes", pack.pk, run, version), COUNTED, lambda: _counted(rows))
    return {item: Share(right, n) for item, right, n in counted.tolist()}


def _counted(rows: QuerySet[Extremes]) -> NDArray[np.void]:
    scored = np.frombuffer(b"".join(map(bytes, rows.values_list("packed", flat=True))), EXTREMES)
    first = scored["item"].min() if len(scored) else 0  # ids of one pack are close together
    n = np.bincount(scored["item"] - first)
    found = np.empty(np.count_nonzero(n), COUNTED)
    answered = np.flatnonzero(n)
    right = np.bincount(scored["item"] - first, scored["lowest"] == 1)
    found["item"], found["right"], found["n"] = answered + first, right[answered], n[answered]
    return found


def _judged(trials: Collection[Trial]) -> Iterator[tuple[int, Share, Share]]:
    """Item, its majority's score and its right votes, for each study that asked it; only items with public answers."""
    found = [(trial, vote) for trial in trials for vote in votes(trial) if vote.n]
    known = open_answers({vote.item_id for _, vote in found}, to=PUBLIC)
    for trial, vote in found:
        if answer := known[vote.item_id].expected:
            score = human_rows.score_of(vote, answer, is_mean=is_mean(trial))
            yield vote.item_id, Share(score, 1), Share(vote.counts.get(answer, 0), vote.n)


def _pooled(people: Collection[tuple[int, Share, Share]], place: int) -> dict[int, Share]:
    pooled: dict[int, Share] = {}
    for item, *shares in people:
        before, more = pooled.get(item, NOBODY), shares[place]
        pooled[item] = Share(before.right + more.right, before.n + more.n)
    return pooled


UNPARSED, FALSE_YES, FALSE_NO, OTHER = "unparsed", "false-yes", "false-no", "wrong"
ERRORS: dict[str, str] = {
    FALSE_YES: "yes, expected no",
    FALSE_NO: "no, expected yes",
    OTHER: "another wrong answer",
    UNPARSED: "unparsed",
}

Errors = Mapping[str, set[int]]  # kind -> items with such a reply


def errors_of(run: Run) -> Errors:
    """The items on which the run has a reply of each kind of error; none where a referee gives points."""
    if run.referee:
        return {}
    version = f"{run.created_at} {run.answers_version} {run.parser} {run.parser_version}"
    return cached_value(f"errors of {run.pk}", version=version, make=lambda: _read_errors(run))


def _read_errors(run: Run) -> Errors:
    below = with_expected(tallies.one_a_reading(run), to=SCORER, item=tallies.ITEM).filter(Q(points__lt=1)).order_by()
    columns = (f"{tallies.ITEM}_id", "reading__problem", "reading__answer", "expected")
    found: defaultdict[str, set[int]] = defaultdict(set)
    for item, problem, answer, expected in below.values_list(*columns):
        found[_kind_of_error(problem, answer, expected)].add(item)
    return found


def _kind_of_error(problem: str, answer: str, expected: str | None) -> str:
    if problem:
        return UNPARSED
    return {("yes", "no"): FALSE_YES, ("no", "yes"): FALSE_NO}.get((answer, expected or ""), OTHER)


@dataclass(frozen=True)
class ItemResult:
    """The results on a thumbnail; an expected answer is "" if there is none."""

    expected: str
    people: Share
    models: Share


def results_of(items: Sequence[Item], outcomes: Outcomes) -> Iterator[ItemResult]:
    """The results of these items, whose answers are public, in their order."""
    known = open_answers(items, to=PUBLIC)
    for item in items:
        votes, models = outcomes.votes.get(item.pk, NOBODY), outcomes.models.get(item.pk, NOBODY)
        yield ItemResult(known[item.pk].expected or "", votes, models)
