"""The labels by which answers to a pack's items are clustered: the ids of the one or two clips that items share."""

from collections.abc import Iterable, Sequence

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item, ItemMedia

Labels = tuple[int, int]  # of one population; a plain cluster has its label twice


def are_dyads(slug: str) -> bool:
    """Whether the items of this benchmark depend on each other by either of two clips."""
    return slug in BENCHMARKS and BENCHMARKS[slug].clusters == "dyad"


def labels_of(item: Item) -> Labels:
    """The labels of one item, with its pack; reads the prefetched media."""
    return _labels(item.pk, [media.clip_id for media in item.media.all()], is_dyad=are_dyads(item.pack.benchmark))


def labels_by_item(items: Iterable[int], *, is_dyad: bool) -> dict[int, Labels]:
    """Item id -> its labels, in one query."""
    wanted = list(items)
    clips: dict[int, list[int]] = {item: [] for item in wanted}
    for item, clip in ItemMedia.objects.filter(item__in=wanted).order_by("position").values_list("item_id", "clip_id"):
        clips[item].append(clip)
    return {item: _labels(item, found, is_dyad=is_dyad) for item, found in clips.items()}


def _labels(item: int, clips: Sequence[int], *, is_dyad: bool) -> Labels:
    """The first clip, and the last for dyads; minus the item's id for a text item, which is its own cluster."""
    first = clips[0] if clips else -item
    return first, clips[-1] if is_dyad and clips else first
