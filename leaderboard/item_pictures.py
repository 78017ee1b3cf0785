"""What the page of an item may show of its clips: one, two of a pair, or pictures in a row and what comes next."""

from dataclasses import dataclass

from benchmarks.models import Clip, Item, ItemSeal, RenditionKind


def pictures_of(item: Item, media_policy: str) -> dict[str, str]:
    """Addresses of the clip and its poster; none where the clip may not be shown."""
    return pictures_of_clip(item.clip, media_policy)


def pictures_of_clip(clip: Clip | None, media_policy: str) -> dict[str, str]:
    if clip is None or clip.withdrawn_at or clip.problem or media_policy != "public":
        return {}
    kinds = {"video": RenditionKind.ORIGINAL, "poster": RenditionKind.POSTER, "still": RenditionKind.PICTURE}
    found = {name: clip.rendition(kind) for name, kind in kinds.items()}
    return {name: rendition.get_absolute_url() for name, rendition in found.items() if rendition}


@dataclass(frozen=True)
class ClipOfTwo:
    """One clip of a pair; no pictures where it may not be shown, or an open study shows it as well."""

    clip: Clip
    pictures: dict[str, str]


def clips_of(item: Item, media_policy: str) -> list[ClipOfTwo]:
    """The two clips of an item about a pair, in their order; nothing for any other."""
    clips = [media.clip for media in item.media.all()]
    if len(clips) != 2 or item.pictures:
        return []
    closed = closed_among(clips)
    return [ClipOfTwo(clip, {} if clip.pk in closed else pictures_of_clip(clip, media_policy)) for clip in clips]


def closed_among(clips: list[Clip]) -> set[int]:
    """Those that an open study shows as well, on whatever question."""
    return set(ItemSeal.objects.filter(item__media__clip__in=clips).values_list("item__media__clip", flat=True))


@dataclass(frozen=True)
class Still:
    """A picture of a row under the question's name for it; its address is "" where it may not be shown."""

    name: str
    address: str
    clip: Clip


@dataclass(frozen=True)
class Row:
    """Pictures in a row, what may come next, and, once that is asked for, what does."""

    images: tuple[Still, ...]
    choices: tuple[Still, ...] = ()
    following: Still | None = None


def row_of(item: Item, media_policy: str, *, is_asked: bool) -> Row | None:
    """The pictures of a question about pictures in a row, and what comes next; None where it knows of neither."""
    named: dict[str, list[Still]] = {"image": [], "choice": []}
    uses = [use for use in item.media.all() if use.role in named]
    closed = closed_among([use.clip for use in uses]) if uses else set()
    for use in uses:
        place = len(named[use.role])
        name = str(place + 1) if use.role == "image" else item.options[place].upper()
        named[use.role].append(_still(name, use.clip, "none" if use.clip.pk in closed else media_policy))
    following = following_of(item) if is_asked else None
    if not named["image"] and following is None:
        return None
    policy = "none" if following and closed_among([following]) else media_policy
    shown = _still("", following, policy) if following else None
    return Row(tuple(named["image"]), tuple(named["choice"]), shown)


def following_of(item: Item) -> Clip | None:
    """The picture that comes next, where the item knows of one: it hangs on no question about what comes next."""
    if not item.reference.get("next"):
        return None
    clips = Clip.objects.filter(pack=item.pack_id, key=item.reference["next"]).select_related("pack")
    return clips.prefetch_related("renditions").first()


def _still(name: str, clip: Clip, media_policy: str) -> Still:
    return Still(name, pictures_of_clip(clip, media_policy).get("still", ""), clip)
