"""Hides and shows items: a seal hides an item from the public while an open study asks it.

What would tell its answer is hidden with it (`closure`). Withheld answers of a hidden split close nothing beside them,
since whoever divided it chose what is open; they serve scoring and are never told: item pages, API and snapshots leave
them out forever, because they show single answers. Figures over many items include them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.dispatch import Signal

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemAnswer, ItemSeal
from benchmarks.models.clips import Clip
from benchmarks.models.id_list import IdList
from benchmarks.models.items import Item, ItemMedia, ItemQuerySet
from benchmarks.models.packs import Pack

BATCH = 500

# Receivers compute scores again. Sent with `packs`, the ids of the packs, in the same transaction.
seals_changed = Signal()


def hide(items: Iterable[int], *, by: str) -> None:
    """Hide these items and what tells their answers from every list until `show`; safe to repeat."""
    every = closure(items)
    ItemSeal.objects.bulk_create((ItemSeal(item_id=item, by=by) for item in every), BATCH, ignore_conflicts=True)
    _tell(set(Item.objects.filter(pk__in=IdList(every)).order_by().values_list("pack_id", flat=True).distinct()))


def hide_alone(items: Iterable[int], *, by: str) -> None:
    """Hide these items and nothing beside them: no question here has an answer, or whoever divided them chose so."""
    ItemSeal.objects.bulk_create((ItemSeal(item_id=item, by=by) for item in items), BATCH, ignore_conflicts=True)


def show(*, by: str) -> None:
    """Remove all seals with this name."""
    seals = ItemSeal.objects.filter(by=by)
    packs = set(seals.order_by().values_list("item__pack_id", flat=True).distinct())
    seals.delete()
    _tell(packs)


def hide_copies() -> None:
    """Hide what every study hides again: a new pack may hold copies of its clips."""
    studies = ItemSeal.objects.exclude(by=WITHHELD).order_by().values_list("by", flat=True).distinct()
    for study in studies:
        hide(ItemSeal.objects.filter(by=study).values_list("item_id", flat=True), by=study)


def _tell(packs: set[int]) -> None:
    if packs:
        seals_changed.send(Item, packs=packs)


def studies_hiding(items: ItemQuerySet) -> set[str]:
    """The names of the studies' seals on some of these items."""
    seals = ItemSeal.objects.filter(item__in=items.order_by()).exclude(by=WITHHELD).order_by()
    return set(seals.values_list("by", flat=True).distinct())


def version_of_seals() -> str:
    """A value that changes whenever an item is hidden or shown."""
    return "|".join(map(str, ItemSeal.objects.aggregate(Count("pk"), Max("pk")).values()))


def closure(items: Iterable[int]) -> set[int]:
    """These items, and all that share a clip, a draw or a group with one of them, or with one that does."""
    closed: set[int] = set()
    new = set(items)
    while new:
        closed |= new
        new = (_about_clips_of(new) | _in_groups_of(new)) - closed
    return closed


def _about_clips_of(items: set[int]) -> set[int]:
    """Items about the same clips, about copies of them in any pack, or about other clips of their draws."""
    clips = Clip.objects.filter(uses__item__in=IdList(items)).order_by()
    # Drawn pictures are often alike without showing the same question, so only their names make them copies.
    is_copy = Q(frames__gt=1) | Q(key__in=clips.values("key"))
    copies = Clip.objects.filter(is_copy, sha256__in=clips.values("sha256")).values_list("pk", flat=True)
    clips_beside = {*clips.values_list("pk", flat=True), *copies, *_of_draws_of(clips)}
    return set(ItemMedia.objects.filter(clip__in=IdList(clips_beside)).values_list("item_id", flat=True))


def _of_draws_of(clips: QuerySet[Clip]) -> set[int]:
    """Clips of the same draws as these, which begin alike and have other answers."""
    keys: dict[int, set[str]] = defaultdict(set)
    for pack, key in clips.values_list("pack_id", "key"):
        keys[pack].add(key)
    return {clip for pack in Pack.objects.filter(pk__in=keys) for clip in _of_draws(pack, keys[pack.pk])}


def _of_draws(pack: Pack, keys: set[str]) -> list[int]:
    draw_of = BENCHMARKS[pack.benchmark].draw_of if pack.shares_draws else None
    if draw_of is None:
        return []
    draws = set(map(draw_of, keys))
    return [pk for pk, key in pack.clips.values_list("pk", "key") if draw_of(key) in draws]


def _in_groups_of(items: set[int]) -> set[int]:
    """Items that are scored together with one of these."""
    mates = Item.objects.filter(pk__in=IdList(items), pack=OuterRef("pack"), group=OuterRef("group"))
    return set(Item.objects.filter(Exists(mates)).exclude(group="").values_list("pk", flat=True))


# Receivers compute the scores that were waiting. Sent with `items`, their primary keys, in the same transaction.
answers_loaded = Signal()


@transaction.atomic
def load(expected: Mapping[int, str]) -> None:
    """Store these answers by item and close them to everybody but scorers."""
    if not expected:
        return
    rows = [ItemAnswer(item_id=pk, expected=answer) for pk, answer in expected.items()]
    ItemAnswer.objects.bulk_create(
        rows, BATCH, update_conflicts=True, update_fields=["expected"], unique_fields=["item"]
    )
    hide_alone(expected, by=WITHHELD)
    answers_loaded.send(Item, items=list(expected))
