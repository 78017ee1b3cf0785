"""Stills of a clip for participants: the same frames, at the same size, as models get."""

import io
from functools import lru_cache, partial

from benchmarks.encoding.frames import evenly_spaced
from benchmarks.models import Clip, Item
from benchmarks.storage.access import decodable
from humantrials.models import Trial
from humantrials.protocols.stills import stills_per_clip, stills_wanted

CLIPS = 64  # whose stills each process keeps


def stills_per_item(trial: Trial, item: Item) -> int:
    """How many stills of this item's clip the trial shows."""
    return stills_per_clip(trial.settings, item.clip.frames if item.clip else 0)


def still_of(trial: Trial, item: Item, place: int) -> bytes | None:
    """One still as PNG; None if there is no such still or its clip can't be read."""
    clip = item.clip
    if clip is None or clip.withdrawn_at or not clip.frames:
        return None
    try:
        found = _stills(clip.pk, clip.sha256, stills_wanted(trial.settings))
    except (OSError, ValueError):
        return None
    return found[place] if place < len(found) else None


@lru_cache(maxsize=CLIPS)
def _stills(clip: int, sha256: str, count: int) -> tuple[bytes, ...]:
    """So many stills of the clip; `sha256` distinguishes clips of different databases that share a number."""
    from PIL import Image

    from benchmarks.encoding.frames import frames

    files = []
    for frame in frames(decodable(Clip.objects.get(pk=clip)), partial(evenly_spaced, count)):
        file = io.BytesIO()
        Image.fromarray(frame.picture).save(file, "PNG", compress_level=3)
        files.append(file.getvalue())
    return tuple(files)
