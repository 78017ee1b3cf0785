"""The stored files of a clip: where they are, which one is decoded, which one has no sound, and how they are served."""

from datetime import timedelta
from pathlib import Path

from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from benchmarks.answers import WITHHELD
from benchmarks.media_store import clip_name, store, variation_name
from benchmarks.models import Clip, FlippedClip, ItemSeal, Origin, Pack, Rendition, RenditionKind
from benchmarks.ranges import serve_stored
from benchmarks.registry import find_benchmark

__all__ = [
    "clip_withdrawn",
    "clips_of_hidden_splits",
    "decodable",
    "is_open_to",
    "is_signed",
    "muted",
    "path_of",
    "policy_of",
    "serve_stored",
    "signed_address",
    "withdraw",
]

# Caches above forget the clip: decoded frames, standings. Sent with `clip` once the withdrawal is stored.
clip_withdrawn = Signal()

SIGNER = TimestampSigner(salt="clips of hidden splits")
SIGNED_FOR = timedelta(hours=24)
CONTENT_TYPES = {".mp4": "video/mp4", ".jpg": "image/jpeg", ".png": "image/png", ".wav": "audio/wav"}


def path_of(rendition: Rendition) -> Path:
    """The file on this machine, fetched from a store of objects where it is not here yet; raises StoreAway."""
    return store().local(clip_name(rendition.name))


def decodable(clip: Clip) -> Path:
    """The file that models' frames come from: the imported one, not one that had to be encoded again for browsers."""
    return path_of(_decoded(clip))


def is_stored(clip: Clip) -> bool:
    """Whether what models' frames come from is still in the store: a withdrawal may have come meanwhile."""
    return store().size(clip_name(_decoded(clip).name)) is not None


def _decoded(clip: Clip) -> Rendition:
    rendition = clip.rendition(RenditionKind.SOURCE) or clip.shown
    if rendition is None:
        raise FileNotFoundError(f"clip {clip.pk} has no stored file: {clip.problem or clip.withdrawal_note or 'gone'}")
    return rendition


def muted(clip: Clip) -> Rendition:
    """The clip in a file without sound, as large as the one with it; made when first asked for."""
    from benchmarks.renditions import rendition_of

    return rendition_of(clip, RenditionKind.MUTED)


def policy_of(pack: Pack) -> str:
    """Who may see the clips, as the benchmark's definition says of what was made here and of what is of others."""
    benchmark = find_benchmark(pack.benchmark)
    is_made = pack.origin == Origin.GENERATED
    return (benchmark.made_policy if is_made else "") or benchmark.media_policy


def signed_address(rendition: Rendition) -> str:
    """The file's address for somebody who may have the clips of a hidden split, good for a day."""
    _name, _colon, signature = SIGNER.sign(rendition.name).partition(":")
    return f"{rendition.get_absolute_url()}?signed={signature}"


def clips_of_hidden_splits(pack: Pack) -> frozenset[int]:
    """Clips that are closed to the public for nothing but a withheld answer: those that a signature opens."""
    if policy_of(pack) != "public":
        return frozenset()
    clips = Clip.objects.filter(pack=pack, uses__item__seals__by=WITHHELD)
    return frozenset(clips.values_list("pk", flat=True))


def is_signed(rendition: Rendition, signature: str) -> bool:
    """Whether we gave this address out within a day, for this very file."""
    try:
        SIGNER.unsign(f"{rendition.name}:{signature}", max_age=SIGNED_FOR)
    except BadSignature:
        return False
    return True


def is_open_to(rendition: Rendition, *, is_staff: bool = False, is_signed: bool = False) -> bool:
    """Whether the public, who has a signed address, or staff may see this file: policy, withdrawal and seals.

    A signature opens clips of a hidden split, whose answers alone are secret; never those of an open study.
    """
    clip = rendition.clip
    policy = policy_of(clip.pack)
    if rendition.kind == RenditionKind.SOURCE or clip.withdrawn_at or policy == "none":
        return False
    seals = ItemSeal.objects.filter(item__media__clip=clip)
    if is_signed:
        seals = seals.exclude(by=WITHHELD)
    return is_staff or (policy == "public" and not seals.exists())


def withdraw(*, clip: Clip, why: str) -> None:
    """Take the clip out for good: its files go, a note stays, and caches above are told.

    Where the files can't be removed (StoreAway), nothing happened and it can be tried again.
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
