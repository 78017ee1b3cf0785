"""What a pack's items are, as arrays: clip, question kind and facets of each. Read once for all runs on the pack."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.models import AnswerKind, ItemFacet, ItemMedia, Pack

Places = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class PackFacts:
    """Arrays are by place of the item, its rank by id; `facet_*` hold one entry a facet value of an item."""

    items: Places  # ids, ascending
    kinds: NDArray[np.str_]
    clips: Places  # id of the first clip, else minus the id of the item: a text item stands alone
    options: Places  # how many answers there are to choose from; 0 where the answer is free
    is_yes_no: Mask
    is_positive: Mask  # a yes-or-no item whose answer is yes
    is_negative: Mask
    is_askable: Mask  # no clip of it is withdrawn or broken
    groups: tuple[tuple[str, str], ...]  # (facet, value)
    facet_places: Places  # of the item
    facet_groups: Places  # of the value in `groups`

    def places(self, items: NDArray[np.int64]) -> Places:
        """Places of these ids, each of which is in the pack."""
        return np.searchsorted(self.items, items)

    def with_facet(self, name: str, value: str | None = None) -> Mask:
        """The items that have this facet, with this value if one is named."""
        wanted = [group == (name, group[1] if value is None else value) for group in self.groups]
        found = np.zeros(len(self.items), bool)
        found[self.facet_places[np.array(wanted, bool)[self.facet_groups]]] = True
        return found

    def values_of(self, name: str) -> list[str]:
        return [value for facet, value in self.groups if facet == name]


def facts_of(pack: Pack) -> PackFacts:
    """Three queries, whatever the number of items."""
    rows = list(pack.items.order_by("pk").values_list("pk", "kind", "answer_kind", "expected", "options"))
    items = _numbers([row[0] for row in rows])
    clips, is_askable = _media(pack, items)
    groups, facet_places, facet_groups = _facets(pack, items)
    is_yes_no = np.array([row[2] == AnswerKind.YES_NO for row in rows], bool)
    expected = np.array([row[3] or "" for row in rows], str)
    return PackFacts(
        items=items, kinds=np.array([row[1] for row in rows], str), clips=clips,
        options=_numbers([len(row[4] or ()) for row in rows]), is_yes_no=is_yes_no,
        is_positive=is_yes_no & (expected == "yes"), is_negative=is_yes_no & (expected == "no"), is_askable=is_askable,
        groups=groups, facet_places=facet_places, facet_groups=facet_groups,
    )  # fmt: skip


def _numbers(values: list[int]) -> Places:
    return np.array(values, np.int64)


def _media(pack: Pack, items: Places) -> tuple[Places, Mask]:
    """An item about several clips is one observation: it goes with the first of them."""
    columns = ("item_id", "clip_id", "clip__withdrawn_at", "clip__problem")
    clips, is_askable = -items, np.ones(len(items), bool)
    uses = list(ItemMedia.objects.filter(item__pack=pack).order_by("-position", "-pk").values_list(*columns))
    places = np.searchsorted(items, _numbers([use[0] for use in uses]))
    clips[places] = _numbers([use[1] for use in uses])
    is_askable[places[np.array([use[2] is not None or bool(use[3]) for use in uses], bool)]] = False
    return clips, is_askable


def _facets(pack: Pack, items: Places) -> tuple[tuple[tuple[str, str], ...], Places, Places]:
    rows = list(ItemFacet.objects.filter(item__pack=pack).order_by().values_list("item_id", "name", "value"))
    groups = tuple(sorted({row[1:] for row in rows}))
    numbers = {group: number for number, group in enumerate(groups)}
    places = np.searchsorted(items, _numbers([row[0] for row in rows]))
    return groups, places, _numbers([numbers[row[1:]] for row in rows])
