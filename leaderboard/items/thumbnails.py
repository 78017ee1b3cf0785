"""Results on the items of one page of the explorer, by item and model."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Max, Min

from benchmarks.disclosure import PUBLIC, open_answers
from benchmarks.gallery.page_cache import SECONDS, key_of
from benchmarks.models import Item, Pack
from evaluation.models import Score
from leaderboard.items.outcomes import NOBODY, Outcomes, Share
from leaderboard.models import Standing

MOST = 24  # bars on one thumbnail; the count beside them has all models
STEP, MIDDLE = 7, 9  # pixels from bar to bar, and the baseline of bars
RIGHT, WRONG, UNPARSED = "up", "down", "un"


@dataclass(frozen=True)
class OutcomeBar:
    """One model's result on the item: up if right with every seed, down if not, a dot if no reply could be read."""

    kind: str
    x: int

    @property
    def y1(self) -> int:
        return MIDDLE - 1 if self.kind == RIGHT else MIDDLE + 1

    @property
    def y2(self) -> int:
        return 1 if self.kind == RIGHT else 2 * MIDDLE - 1


@dataclass(frozen=True)
class ItemResult:
    """The results on a thumbnail; an expected answer is "" if there is none."""

    expected: str
    people: Share
    models: Share
    bars: tuple[OutcomeBar, ...]

    @property
    def width(self) -> int:
        return STEP * len(self.bars) + 2


def results_of(pack: Pack, items: Sequence[Item], outcomes: Outcomes) -> Iterator[ItemResult]:
    """The results of these items, whose answers are public, in their order."""
    known = {pk: answer.expected for pk, answer in open_answers(items, to=PUBLIC).items()}
    kinds = _kinds(pack, [pk for pk, expected in known.items() if expected is not None])
    for item in items:
        votes, models = outcomes.votes.get(item.pk, NOBODY), outcomes.models.get(item.pk, NOBODY)
        bars = tuple(
            OutcomeBar(kind, STEP * place + 4) for place, kind in enumerate(kinds.get(str(item.pk), ())[:MOST])
        )
        yield ItemResult(known[item.pk] or "", votes, models, bars)


def _kinds(pack: Pack, items: Collection[int]) -> Mapping[str, list[str]]:
    """Item id -> each row's result, best row first; cached until a row of the pack changes."""
    standings = Standing.objects.filter(pack=pack, run__isnull=False)
    rows = sorted(standings.values_list("run", "overall__score", "computed_at"))
    key = key_of("thumbnails", str(pack.pk), str(sorted(items)), str(rows))
    found = cache.get(key)
    if found is None:
        best_first = sorted(rows, key=lambda row: -(row[1] or 0))
        found = json.dumps(_counted(items, list(dict.fromkeys(row[0] for row in best_first))))
        cache.set(key, found, SECONDS)
    return json.loads(found)


def _counted(items: Collection[int], runs: Sequence[int]) -> dict[int, list[str]]:
    path = "reading__response__cell__"
    scores = Score.objects.counting().filter(**{f"{path}item__in": items, f"{path}run__in": runs}).order_by()
    grouped = scores.values_list(f"{path}item", f"{path}run").annotate(Min("value"), Max("reading__answer"))
    kinds = {(item, run): _kind(lowest, answer) for item, run, lowest, answer in grouped}
    found: dict[int, list[str]] = defaultdict(list)
    for item in items:
        found[item] = [kinds[item, run] for run in runs if (item, run) in kinds]
    return found


def _kind(lowest: float, answer: str) -> str:
    """The result of all seeds together; `answer` is the last of their answers, "" if none was read."""
    return RIGHT if lowest == 1 else WRONG if answer else UNPARSED
