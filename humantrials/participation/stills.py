"""Stills of a clip for participants: the same frames, at the same size, as models get."""

import io
from functools import lru_cache

from benchmarks.models import Clip, Item
from benchmarks.storage.access import decodable
from humantrials.models import Trial
from humantrials.protocols.stills import stills_of

CLIPS = 64  # whose stills each process keeps


def stills_per_item(trial: Trial, item: Item) -> int:
    """How many stills of this item's clip the trial shows."""
    return len(stills_of(trial.settings, item.clip.frames if item.clip else 0))


def still_of(trial: Trial, item: Item, place: int) -> bytes | None:
    """One still as PNG; None if there is no such still or its clip can't be read."""
    from benchmarks.encoding.probe import MEDIA_ERRORS

    clip = item.clip
    if clip is None or clip.withdrawn_at:
        return None
    try:
        found = _stills(clip.pk, clip.sha256, stills_of(trial.settings, clip.frames))
    except MEDIA_ERRORS:
        return None
    return found[place] if place < len(found) else None


@lru_cache(maxsize=CLIPS)
def _stills(clip: int, sha256: str, numbers: tuple[int, ...]) -> tuple[bytes, ...]:
    """These stills of the clip; `sha256` distinguishes clips of different databases that share a number."""
    from PIL import Image

    from benchmarks.encoding.stills import frames_at

    files = []
    for picture in frames_at(decodable(Clip.objects.get(pk=clip)), numbers):
        file = io.BytesIO()
        Image.fromarray(picture).save(file, "PNG", compress_level=3)
        files.append(file.getvalue())
    return tuple(files)
