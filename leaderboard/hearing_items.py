"""The items on which sound changed an answer, and whether for the better."""

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.definition import Benchmark
from benchmarks.models import Item
from leaderboard.address import BadAddress
from leaderboard.comparing import Pair, paired
from leaderboard.items import Source, source_of
from leaderboard.versus import HIDDEN, said

MOST_CHOICES = 12  # of a facet: longer lists are not chosen from
WAYS = ("all", "mended", "spoiled", "neither")  # right with sound alone, right without it alone, equally right


@dataclass(frozen=True)
class ChangedItem:
    """What was said with sound and without, and the score of each, 0 to 1."""

    item: int
    with_sound: str
    without: str
    first: float
    second: float

    @property
    def way(self) -> str:
        return "neither" if self.first == self.second else "mended" if self.first > self.second else "spoiled"


@dataclass(frozen=True)
class Choices:
    """One facet that the list can be narrowed by: (value, title, how many)."""

    name: str
    title: str
    values: tuple[tuple[str, str, int], ...]


@dataclass(frozen=True)
class Changed:
    """The list of one answerer; `of` is how many items it answered both ways."""

    heard: Source
    deaf: Source
    of: int
    rows: tuple[ChangedItem, ...]
    choices: tuple[Choices, ...]


def changed_of(benchmark: Benchmark, first: str, second: str, way: str, facets: Mapping[str, str]) -> Changed:
    """The list behind two rows' keys, without what an open study seals. BadAddress where there is no such row."""
    heard, deaf = source_of(benchmark, first), source_of(benchmark, second)
    if heard.pack != deaf.pack:
        raise BadAddress(f"{first[:60]} and {second[:60]} answered different clips")
    sealed = set(Item.objects.filter(pack=heard.pack).sealed().values_list("pk", flat=True))
    pairs = [pair for pair in paired(heard.answers(), deaf.answers()) if pair.item.pk not in sealed]
    wanted = [pair for pair in pairs if all(value in pair.item.facet_values(name) for name, value in facets.items())]
    rows = [(pair, row) for pair, row in zip(wanted, _rows(heard, deaf, wanted), strict=True) if _is_changed(row)]
    shown = [(pair, row) for pair, row in rows if way in ("all", row.way)]
    return Changed(
        heard, deaf, len(pairs), tuple(row for _, row in shown),
        tuple(_choices(benchmark, [pair for pair, _ in rows], facets)),
    )  # fmt: skip


def _rows(heard: Source, deaf: Source, pairs: list[Pair]) -> list[ChangedItem]:
    items = [pair.item.pk for pair in pairs]
    with_sound, without = said(heard, items), said(deaf, items)
    return [
        ChangedItem(pair.item.pk, with_sound[pair.item.pk], without[pair.item.pk], pair.first, pair.second)
        for pair in pairs
    ]


def _is_changed(row: ChangedItem) -> bool:
    """People's votes differ by a few on nearly every item: of them what the majority said counts."""
    return row.first != row.second or (row.with_sound != row.without and "," not in row.with_sound + row.without)


def _choices(benchmark: Benchmark, pairs: list[Pair], chosen: Mapping[str, str]) -> list[Choices]:
    """Values that occur among the changed items, in the definition's order."""
    found = []
    for facet in benchmark.facets:
        counts = [(one.value, one.title, sum(one.value in pair.item.facet_values(facet.name) for pair in pairs))
                  for one in facet.values]  # fmt: skip
        present = tuple(count for count in counts if count[2])
        if facet.name not in (*HIDDEN, *chosen) and 1 < len(present) <= MOST_CHOICES:
            found.append(Choices(facet.name, facet.title, present))
    return found
