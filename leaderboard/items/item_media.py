"""Media on the page of an item: one clip, its twin, the two of a pair, or an image sequence and what follows it."""

from dataclasses import dataclass

from benchmarks.definitions.definition import Benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_answers, open_to
from benchmarks.disclosure.doors import closed_among
from benchmarks.models import Clip, Item, RenditionKind
from benchmarks.packs.truth.ground_truth import Truth, has_truth, truth_of

VERDICTS = {"yes": "Can happen", "no": "Cannot happen"}  # of a question whether a clip is plausible


def verdict_of(item: Item, expected: str | None) -> str:
    """What the right answer says about the clip."""
    if item.kind == "plausibility" and expected in VERDICTS:
        return VERDICTS[expected]
    return f"Answer: {expected}" if expected else ""


def pictures_of(item: Item, media_policy: str) -> dict[str, str]:
    """URLs of the item's clip, its poster and its still; empty if the clip may not be shown."""
    is_closed = item.clip is not None and bool(closed_among([item.clip]))
    return {} if is_closed else pictures_of_clip(item.clip, media_policy)


def pictures_of_clip(clip: Clip | None, media_policy: str) -> dict[str, str]:
    if clip is None or clip.withdrawn_at or clip.problem or media_policy != "public":
        return {}
    kinds = {"video": RenditionKind.ORIGINAL, "poster": RenditionKind.POSTER, "still": RenditionKind.PICTURE}
    found = {name: clip.rendition(kind) for name, kind in kinds.items()}
    return {name: rendition.get_absolute_url() for name, rendition in found.items() if rendition}


def clips_of(item: Item, media_policy: str) -> list[tuple[Clip, dict[str, str]]]:
    """The two clips of an item about a pair, in order, with their pictures; empty for other items.

    A clip has no pictures if it may not be shown or an open study uses it.
    """
    clips = [media.clip for media in item.media.all()]
    if len(clips) != 2 or item.pictures:
        return []
    closed = closed_among(clips)
    return [(clip, {} if clip.pk in closed else pictures_of_clip(clip, media_policy)) for clip in clips]


def twin_of(benchmark: Benchmark, item: Item, media_policy: str) -> Item | None:
    """The item about the same scene with the opposite answer; None unless both clips and both answers are public.

    Only clips that were made from the same seed and index are known to show the same scene.
    """
    clip, key = item.clip, benchmark.twin_key(item.key) if benchmark.twin_key else ""
    if not key or clip is None or "index" not in clip.facts:
        return None
    items = Item.objects.filter(pack=item.pack_id, key=key, kind=item.kind, variant=item.variant)
    items = (
        items.filter(open_to(PUBLIC, Fact.ANSWER))
        .askable()
        .select_related("pack")
        .prefetch_related("media__clip__renditions")
    )
    twin = items.first()
    if twin is None or twin.clip is None or _cache_version(twin.clip) != _cache_version(clip):
        return None
    clips = [clip, twin.clip]
    has_films = all("video" in pictures_of_clip(one, media_policy) for one in clips)
    return twin if has_films and not closed_among(clips) else None


def _cache_version(clip: Clip) -> tuple[object, ...]:
    return tuple(clip.facts.get(name) for name in ("seed", "index", "profile"))


@dataclass(frozen=True)
class TwinClip:
    """One of two clips of the same scene, which play in step; `truth` is None if its paths are not known."""

    item: Item
    clip: Clip
    pictures: dict[str, str]
    truth: Truth | None
    expected: str

    @property
    def moment(self) -> float | None:
        """When physics is broken, in seconds; None if it is not, or if that is unknown."""
        found = self.truth.violation if self.truth else None
        return found.seconds if found else None

    @property
    def verdict(self) -> str:
        return verdict_of(self.item, self.expected)


def pair_of(item: Item, twin: Item, media_policy: str) -> list[TwinClip]:
    """The item's clip and its twin with their events, which reveal both answers."""
    known = open_answers([item, twin], to=PUBLIC)
    return [
        TwinClip(
            one,
            one.clip,
            pictures_of_clip(one.clip, media_policy),
            truth_of(one.clip) if has_truth(one, media_policy) else None,
            known[one.pk].expected or "",
        )
        for one in (item, twin)
        if one.clip
    ]


@dataclass(frozen=True)
class Still:
    """One image of a sequence with its label in the question; `address` is "" if it may not be shown."""

    name: str
    address: str
    clip: Clip


@dataclass(frozen=True)
class ImageSequence:
    """The images of a sequence, the choices for the next image and, once the answer is requested, the next image."""

    images: tuple[Still, ...]
    choices: tuple[Still, ...] = ()
    following: Still | None = None


def row_of(item: Item, media_policy: str, *, is_question: bool) -> ImageSequence | None:
    """The item's image sequence, with the next image if `is_asked`; None if the item has neither."""
    named: dict[str, list[Still]] = {"image": [], "choice": []}
    uses = [use for use in item.media.all() if use.role in named]
    closed = closed_among([use.clip for use in uses]) if uses else set()
    for use in uses:
        place = len(named[use.role])
        name = str(place + 1) if use.role == "image" else item.options[place].upper()
        named[use.role].append(_still(name, use.clip, "none" if use.clip.pk in closed else media_policy))
    following = following_of(item) if is_question else None
    if not named["image"] and following is None:
        return None
    policy = "none" if following and closed_among([following]) else media_policy
    still = _still("", following, policy) if following else None
    return ImageSequence(tuple(named["image"]), tuple(named["choice"]), still)


def following_of(item: Item) -> Clip | None:
    """The clip that follows the sequence, if the item's reference names one; it is not among the item's own media."""
    following = open_answers([item], to=PUBLIC)[item.pk].reference.get("next")
    if not following:
        return None
    clips = Clip.objects.filter(pack=item.pack_id, key=following).select_related("pack")
    return clips.prefetch_related("renditions").first()


def _still(name: str, clip: Clip, media_policy: str) -> Still:
    return Still(name, pictures_of_clip(clip, media_policy).get("still", ""), clip)
