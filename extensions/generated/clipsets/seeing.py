"""Decodes a clip for its lint: some small pictures, evenly spread, and what its headers say."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.encoding.frames import frames
from benchmarks.encoding.probe import MEDIA_ERRORS, probe
from extensions.generated.clipsets.lint import ClipSeen, UnseenClipError

PICTURES, SIDE = 16, 64
NOISE = 12.0  # grey levels that compression alone may change a pixel by
GREY = np.array([0.299, 0.587, 0.114])

Grey = NDArray[np.float64]  # height, width; 0 to 255


def see(path: Path) -> ClipSeen:
    """Raises UnseenClipError with the reason for a file that can't be decoded from beginning to end."""
    try:
        facts = probe(path)
        pictures = [frame.picture @ GREY for frame in frames(path, _spread, longest=SIDE, threads=1)]
        digest = hashlib.file_digest(path.open("rb"), "sha256").hexdigest()
    except MEDIA_ERRORS as wrong:
        raise UnseenClipError(str(wrong)) from wrong
    changes = [float(np.abs(later - earlier).mean()) for earlier, later in pairwise(pictures)]
    return ClipSeen(
        width=facts.width,
        height=facts.height,
        fps=facts.fps,
        seconds=facts.seconds,
        has_sound=facts.has_sound,
        size=path.stat().st_size,
        sha256=digest,
        darkest=min(float(picture.mean()) for picture in pictures),
        flattest=min(float(_unevenness(picture.ravel())) ** 0.5 for picture in pictures),
        moved=float(np.mean(np.max([np.abs(picture - pictures[0]) for picture in pictures], axis=0) > NOISE)),
        largest_jump=max(changes) / sum(changes) if sum(changes) else 0.0,
    )


def _spread(times: Sequence[float]) -> Sequence[int]:
    return sorted({round(place) for place in np.linspace(0, len(times) - 1, min(PICTURES, len(times)))})


def _unevenness(pixels: Grey) -> Grey:
    """The mean squared distance of pixels from their mean, along the last axis."""
    means = pixels.mean(axis=-1, keepdims=True)
    return np.mean(np.square(pixels - means), axis=-1)
