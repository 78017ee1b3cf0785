"""A pack's items as arrays: clip, question kind and facets of each. Read once for all runs on the pack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Func, IntegerField
from numpy.typing import NDArray

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, SCORER, Fact, open_to, with_expected
from benchmarks.models import AnswerKind, ItemFacet, ItemMedia, Pack
from benchmarks.packs.clusters import are_dyads, are_grouped, labels_of_groups

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]
ALL = "all"  # the stored figures over all clips, beside those by facet


@dataclass(frozen=True)
class PackFacts:
    """Arrays indexed by an item's place, its rank by id; `facet_*` have an entry for each facet value of an item."""

    items: Places  # ids, ascending
    kinds: NDArray[np.str_]
    clusters: Places  # number of the item's clip, or of the two clips of a dyad
    labels: Places  # two columns: see benchmarks/packs/clusters.py
    options: Places  # number of answer options; 0 for free text
    is_yes_no: Mask
    is_positive: Mask  # a yes-or-no item whose answer is yes
    is_negative: Mask
    is_askable: Mask  # no clip of it is withdrawn or broken
    is_hidden: Mask  # the item is sealed or its answer withheld
    groups: tuple[tuple[str, str], ...]  # (facet, value)
    facet_places: Places  # of the item
    facet_groups: Places  # of the value in `groups`

    def places(self, items: NDArray[np.int64]) -> Places:
        """Places of these item ids, all of which are in the pack."""
        return np.searchsorted(self.items, items)

    def with_facet(self, name: str, value: str | None = None) -> Mask:
        """Mask of the items with this facet, and with this value if one is named."""
        wanted = [group == (name, group[1] if value is None else value) for group in self.groups]
        found = np.zeros(len(self.items), bool)
        found[self.facet_places[np.array(wanted, bool)[self.facet_groups]]] = True
        return found

    def values_of(self, name: str) -> list[str]:
        return [value for facet, value in self.groups if facet == name]


def facts_of(pack: Pack) -> PackFacts:
    """Read the pack's items into arrays, in four queries whatever their number."""
    rows = list(
        with_expected(pack.items.order_by("pk"), to=SCORER).values_list(
            "pk", "kind", "answer_kind", "expected", _Length("options")
        )
    )
    items = _numbers([row[0] for row in rows])
    labels, is_askable = _media(pack, items)
    groups, facet_places, facet_groups = _facets(pack, items)
    is_yes_no = np.array([row[2] == AnswerKind.YES_NO for row in rows], bool)
    expected = np.array([row[3] or "" for row in rows], str)
    hidden = _numbers(list(pack.items.exclude(open_to(PUBLIC, Fact.ANSWER)).order_by().values_list("pk", flat=True)))
    return PackFacts(
        items=items,
        kinds=np.array([row[1] for row in rows], str),
        clusters=_clusters(labels),
        labels=labels,
        options=_numbers([row[4] for row in rows]),
        is_yes_no=is_yes_no,
        is_positive=is_yes_no & (expected == "yes"),
        is_negative=is_yes_no & (expected == "no"),
        is_askable=is_askable,
        is_hidden=np.isin(items, hidden),
        groups=groups,
        facet_places=facet_places,
        facet_groups=facet_groups,
    )


def _numbers(values: list[int]) -> Places:
    return np.array(values, np.int64)


def _media(pack: Pack, items: Places) -> tuple[Places, Mask]:
    """The labels of each item: its first clip, and the last for dyads; and whether all of its clips can be shown."""
    columns = ("item_id", "clip_id", "clip__withdrawn_at", "clip__problem")
    labels, is_askable = np.stack([-items, -items], axis=1), np.ones(len(items), bool)
    uses = list(ItemMedia.objects.filter(item__pack=pack).order_by("-position", "-pk").values_list(*columns))
    places, clips = np.searchsorted(items, _numbers([use[0] for use in uses])), _numbers([use[1] for use in uses])
    labels[places, 0] = clips
    labels[places[::-1], 1] = clips[::-1]
    if not are_dyads(pack.benchmark):
        labels[:, 1] = labels[:, 0]
    if are_grouped(pack.benchmark):
        for item, label in labels_of_groups(pack.items.all()).items():
            labels[np.searchsorted(items, item)] = label
    is_askable[places[np.array([use[2] is not None or bool(use[3]) for use in uses], bool)]] = False
    return labels, is_askable


def _clusters(labels: Places) -> Places:
    """One number for each pair of labels, whatever their order."""
    values, numbers = np.unique(labels, return_inverse=True)
    numbers = numbers.reshape(labels.shape)
    return numbers.min(axis=1) * len(values) + numbers.max(axis=1)


def _facets(pack: Pack, items: Places) -> tuple[tuple[tuple[str, str], ...], Places, Places]:
    rows = list(ItemFacet.objects.filter(item__pack=pack).order_by().values_list("item_id", "name", "value"))
    groups = tuple(sorted({row[1:] for row in rows}))
    numbers = {group: number for number, group in enumerate(groups)}
    places = np.searchsorted(items, _numbers([row[0] for row in rows]))
    return groups, places, _numbers([numbers[row[1:]] for row in rows])


class _Length(Func):
    """The number of entries of a JSON list."""

    function, output_field = "json_array_length", IntegerField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> tuple[str, Sequence[Any]]:
        return self.as_sql(compiler, connection, function="jsonb_array_length", **context)


Chances = Mapping[tuple[str, str], float]  # by facet and value


def chances_of_items(facts: PackFacts, items: Mask) -> Chances:
    """The mean of 1 / options over the items with each facet value, among these items."""
    keeps = (items & (facts.options > 0))[facts.facet_places]
    groups, options = facts.facet_groups[keeps], facts.options[facts.facet_places[keeps]]
    n = np.bincount(groups, minlength=len(facts.groups))
    total = np.bincount(groups, weights=1 / options, minlength=len(facts.groups))
    return {facts.groups[number]: float(total[number] / n[number]) for number in np.flatnonzero(n)}


def with_stated_chances(chances: Chances, slug: str, strategy: str) -> Chances:
    """The chance level of each column of the boards: as the definition states it, else that of the items."""
    benchmark = BENCHMARKS.get(slug)
    known = {one.name: one for one in benchmark.strategies} if benchmark else {}
    if benchmark is None or strategy not in known:
        return chances
    groups = benchmark.level(known[strategy].level).groups
    values = [(name, value.value) for name in groups for value in benchmark.facet(name).values]
    stated = {key: benchmark.chance(strategy, key[1]) for key in values}
    return {**chances, **{key: chance for key, chance in stated.items() if chance is not None}}
