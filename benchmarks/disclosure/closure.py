"""Which items a study has to hide together, because each tells something of the other's answer.

Answers that a release withholds close nothing beside them: whoever divided it chose what is open.
"""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models.clips import Clip
from benchmarks.models.id_list import IdList
from benchmarks.models.items import Item, ItemMedia
from benchmarks.models.packs import Pack


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
