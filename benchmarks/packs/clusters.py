"""Cluster labels of answers to a pack's items: the ids of the one or two clips that items share.

Items of a group that is scored together share the lowest id of its items' first clips.
"""

from collections.abc import Iterable, Sequence

from django.db.models import BigIntegerField, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item, ItemMedia
from benchmarks.models.id_list import IdList

Labels = tuple[int, int]  # of one population; a plain cluster repeats its label


def are_dyads(slug: str) -> bool:
    """Whether items of this benchmark depend on each other through either of two clips."""
    return slug in BENCHMARKS and BENCHMARKS[slug].clusters == "dyad"


def are_grouped(slug: str) -> bool:
    """Whether items of this benchmark are scored in groups, too."""
    return slug in BENCHMARKS and BENCHMARKS[slug].groups is not None


def are_dependent(slug: str) -> bool:
    """Whether different items of this benchmark depend on each other beyond their own clip."""
    return are_dyads(slug) or are_grouped(slug)


def labels_by_item(items: Iterable[int], *, benchmark: str) -> dict[int, Labels]:
    """Item id -> its labels, in one query, or in two if its benchmark has groups."""
    wanted = list(items)
    clips: dict[int, list[int]] = {item: [] for item in wanted}
    uses = ItemMedia.objects.filter(item__in=IdList(wanted)).order_by("position")
    for item, clip in uses.values_list("item_id", "clip_id"):
        clips[item].append(clip)
    is_dyad = are_dyads(benchmark)
    found = {item: _labels(item, of, is_dyad=is_dyad) for item, of in clips.items()}
    if are_grouped(benchmark):
        shared = labels_of_groups(Item.objects.filter(pk__in=IdList(wanted)))
        found |= {item: (label, label) for item, label in shared.items()}
    return found


def labels_of_groups(items: QuerySet[Item]) -> dict[int, int]:
    """Item id -> the label of its group, for items in a group."""
    grouped = items.exclude(group="").order_by()
    return dict(grouped.annotate(label=_group_label()).values_list("pk", "label"))


def _group_label() -> Coalesce:
    mates = Item.objects.exclude(group="").filter(pack=OuterRef("pack"), group=OuterRef("group")).order_by()
    clip = mates.values("group").annotate(first=Min("media__clip_id")).values("first")
    mate = mates.values("group").annotate(first=Min("pk")).values("first")
    return Coalesce(Subquery(clip), Subquery(mate) * -1, output_field=BigIntegerField())


def _labels(item: int, clips: Sequence[int], *, is_dyad: bool) -> Labels:
    """The first clip, and the last for dyads; minus the item's id for a text item, which is its own cluster."""
    first = clips[0] if clips else -item
    return first, clips[-1] if is_dyad and clips else first
