"""A clip's stored files: their paths, the one to decode, and withdrawal."""

from pathlib import Path

from django.db import transaction
from django.dispatch import Signal

from benchmarks import leasing
from benchmarks.models import Clip, FlippedClip, Rendition, RenditionKind
from benchmarks.storage.store import clip_name, store, variation_name

# Makes caches in the apps above (decoded frames, standings) drop the clip. Sent with `clip` after the commit.
clip_withdrawn = Signal()

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


def withdraw(*, clip: Clip, why: str) -> None:
    """Withdraw the clip permanently: delete its files, keep a note, and send `clip_withdrawn`.

    If the files can't be removed (StoreAway), nothing changes and the call can be repeated.
    """
    with transaction.atomic():
        clip.withdrawn_at = clip.withdrawn_at or leasing.database_now()
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
