"""The items on which sound changed an answer, for better or worse."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.definitions.definition import Benchmark
from leaderboard.board.query import BadAddress
from leaderboard.comparison.report import HIDDEN, answer_texts
from leaderboard.items.item_list import AnswerSource, source_of
from leaderboard.standings.paired_differences import Pair, paired

MOST_CHOICES = 12  # facets with more values are not offered as filters
WAYS = {
    "all": "all",
    "mended": "right with sound alone",
    "spoiled": "right without it alone",
    "neither": "equally right",
}


@dataclass(frozen=True)
class ChangedItem:
    """The answers to one item with and without sound, and their scores, 0 to 1."""

    item: int
    with_sound: str
    without: str
    first: float
    second: float

    @property
    def way(self) -> str:
        return "neither" if self.first == self.second else "mended" if self.first > self.second else "spoiled"


FacetChoice = tuple[str, str, tuple[tuple[str, str, int], ...]]  # name, title, values as (value, title, count)


@dataclass(frozen=True)
class Changed:
    """One answerer's changed items; `of` is how many items it answered both ways."""

    audio: AnswerSource
    deaf: AnswerSource
    of: int
    rows: tuple[ChangedItem, ...]
    choices: tuple[FacetChoice, ...]


def changed_of(benchmark: Benchmark, first: str, second: str, way: str, facets: Mapping[str, str]) -> Changed:
    """The changed items between two rows, public answers only; BadAddress if a row does not exist."""
    hearing_source, deaf = source_of(benchmark, first), source_of(benchmark, second)
    if hearing_source.pack != deaf.pack:
        raise BadAddress(f"{first[:60]} and {second[:60]} answered different clips")
    pairs = paired(hearing_source.answers(), deaf.answers())
    wanted = [pair for pair in pairs if all(value in pair.item.facet_values(name) for name, value in facets.items())]
    rows = [
        (pair, row) for pair, row in zip(wanted, _rows(hearing_source, deaf, wanted), strict=True) if _is_changed(row)
    ]
    filtered = [(pair, row) for pair, row in rows if way in ("all", row.way)]
    return Changed(
        hearing_source,
        deaf,
        len(pairs),
        tuple(row for _, row in filtered),
        tuple(_choices(benchmark, [pair for pair, _ in rows], facets)),
    )


def _rows(hearing_source: AnswerSource, deaf: AnswerSource, pairs: list[Pair]) -> list[ChangedItem]:
    items = [pair.item.pk for pair in pairs]
    with_sound, without = answer_texts(hearing_source, items), answer_texts(deaf, items)
    return [
        ChangedItem(pair.item.pk, with_sound[pair.item.pk], without[pair.item.pk], pair.first, pair.second)
        for pair in pairs
    ]


def _is_changed(row: ChangedItem) -> bool:
    """Whether scores or answers differ; vote counts are ignored, since some votes differ on nearly every item."""
    return row.first != row.second or (row.with_sound != row.without and "," not in row.with_sound + row.without)


def _choices(benchmark: Benchmark, pairs: list[Pair], chosen: Mapping[str, str]) -> list[FacetChoice]:
    """Facets to filter by, with the values that occur among the changed items, in the definition's order."""
    found = []
    for facet in benchmark.facets:
        counts = [
            (value.value, value.title, sum(value.value in pair.item.facet_values(facet.name) for pair in pairs))
            for value in facet.values
        ]
        present = tuple(count for count in counts if count[2])
        if facet.name not in (*HIDDEN, *chosen) and 1 < len(present) <= MOST_CHOICES:
            found.append((facet.name, facet.title, present))
    return found
