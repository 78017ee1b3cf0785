"""A clip's stored files: their paths, the one to decode, access rights, and withdrawal."""

from collections.abc import Collection
from pathlib import Path

from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.dispatch import Signal
from django.utils import timezone

from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import (
    WITHHELD,
    Clip,
    FlippedClip,
    Item,
    ItemMedia,
    ItemSeal,
    Origin,
    Pack,
    Rendition,
    RenditionKind,
)
from benchmarks.policy import KEEP
from benchmarks.storage.ranged_responses import serve_stored
from benchmarks.storage.store import clip_name, store, variation_name

__all__ = [
    "clip_withdrawn",
    "clips_of_hidden_splits",
    "closed_among",
    "decodable",
    "is_open_to",
    "is_signed",
    "muted",
    "path_of",
    "policy_of",
    "public_files",
    "serve_stored",
    "signed_address",
    "withdraw",
]

# Makes caches in the apps above (decoded frames, standings) drop the clip. Sent with `clip` after the commit.
clip_withdrawn = Signal()

SIGNER = TimestampSigner(salt="clips of hidden splits")
SIGNED_FOR = KEEP["signed addresses"].period
CONTENT_TYPES = {".mp4": "video/mp4", ".jpg": "image/jpeg", ".png": "image/png", ".wav": "audio/wav"}


def path_of(rendition: Rendition) -> Path:
    """A local path of the file, downloaded from an object store if needed; raises StoreAway."""
    return store().local(clip_name(rendition.name))


def decodable(clip: Clip) -> Path:
    """The file to decode: the one that people see as well."""
    return path_of(_decoded(clip))


def is_stored(clip: Clip) -> bool:
    """Whether the file to decode is still stored; the clip may have been withdrawn meanwhile."""
    return store().size(clip_name(_decoded(clip).name)) is not None


def _decoded(clip: Clip) -> Rendition:
    rendition = clip.displayed_file
    if rendition is None:
        raise FileNotFoundError(f"clip {clip.pk} has no stored file: {clip.problem or clip.withdrawal_note or 'gone'}")
    return rendition


def muted(clip: Clip) -> Rendition:
    """The clip without sound, padded to the size of the original; made on first use."""
    from benchmarks.storage.renditions import rendition_of

    return rendition_of(clip, RenditionKind.MUTED)


def policy_of(pack: Pack) -> str:
    """Who may see the clips; the definition has one policy for generated packs and one for official packs."""
    benchmark = find_benchmark(pack.benchmark)
    is_made = pack.origin == Origin.GENERATED
    return (benchmark.made_policy if is_made else "") or benchmark.media_policy


def signed_address(rendition: Rendition) -> str:
    """The file's URL, signed for 24 hours, for users who may have the clips of a hidden split."""
    _name, _colon, signature = SIGNER.sign(rendition.name).partition(":")
    return f"{rendition.get_absolute_url()}?signed={signature}"


def clips_of_hidden_splits(pack: Pack) -> frozenset[int]:
    """Ids of clips that are closed to the public only because of a withheld answer; a signed URL opens them."""
    if policy_of(pack) != "public":
        return frozenset()
    withheld = Item.objects.filter(pack=pack).offered().with_hidden_answers()
    return frozenset(Clip.objects.filter(pack=pack, uses__item__in=withheld).values_list("pk", flat=True))


def public_files(pack: Pack) -> QuerySet[Rendition]:
    """The public videos and pictures of a pack, in the order of their opaque names."""
    if policy_of(pack) != "public":
        return Rendition.objects.none()
    closed = Item.objects.filter(pack=pack).with_hidden_answers().order_by().values("pk")
    clips = Clip.objects.filter(pack=pack, withdrawn_at__isnull=True, problem="").exclude(uses__item__in=closed)
    kinds = (RenditionKind.ORIGINAL, RenditionKind.PICTURE)
    return Rendition.objects.filter(clip__in=clips.values("pk"), kind__in=kinds).order_by("name")


def closed_among(clips: Collection[Clip]) -> dict[int, bool]:
    """Ids of the clips that one of their items closes to the public; True if that item belongs to an open study."""
    by_study = Exists(ItemSeal.objects.filter(item=OuterRef("item")).exclude(by=WITHHELD))
    uses = ItemMedia.objects.filter(clip__in=clips, item__in=Item.objects.with_hidden_answers().order_by().values("pk"))
    found: dict[int, bool] = {}
    for clip, is_sealed in uses.order_by().values_list("clip_id", by_study):
        found[clip] = found.get(clip, False) or is_sealed
    return found


def is_signed(rendition: Rendition, signature: str) -> bool:
    """Whether the signature belongs to this file and is less than 24 hours old."""
    try:
        SIGNER.unsign(f"{rendition.name}:{signature}", max_age=SIGNED_FOR)
    except BadSignature:
        return False
    return True


def is_open_to(rendition: Rendition, *, is_staff: bool = False, is_signed: bool = False) -> bool:
    """Whether the public, a signed URL or staff may see this file, given policy, withdrawal and seals.

    A signed URL opens clips of a hidden split, where only the answers are secret, but never clips of an open study.
    """
    clip = rendition.clip
    policy = policy_of(clip.pack)
    if clip.withdrawn_at or policy == "none":
        return False
    if is_staff or policy != "public":
        return is_staff
    items = Item.objects.filter(media__clip=clip)
    if is_signed:
        return not ItemSeal.objects.filter(item__in=items).exclude(by=WITHHELD).exists()
    return not items.with_hidden_answers().exists()


def withdraw(*, clip: Clip, why: str) -> None:
    """Withdraw the clip permanently: delete its files, keep a note, and send `clip_withdrawn`.

    If the files can't be removed (StoreAway), nothing changes and the call can be repeated.
    """
    with transaction.atomic():
        clip.withdrawn_at = clip.withdrawn_at or timezone.now()
        clip.withdrawal_note = why
        files = [clip_name(rendition.name) for rendition in clip.renditions.all()]
        if clip.trajectory:
            files += [clip.trajectory, *store().names(variation_name(f"{Path(clip.trajectory).stem}-"))]
        flipped = FlippedClip.objects.filter(item__media__clip=clip)
        files += [clip_name(one.name) for one in flipped]
        FlippedClip.objects.filter(pk__in=[one.pk for one in flipped]).delete()
        clip.trajectory = ""
        clip.save(update_fields=["withdrawn_at", "withdrawal_note", "trajectory"])
        clip.renditions.all().delete()
        store().remove(files)
        transaction.on_commit(lambda: clip_withdrawn.send(Clip, clip=clip))
