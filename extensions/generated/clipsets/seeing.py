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


def see(path: Path, condition: Grey | None = None) -> ClipSeen:
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
        likeness=None if condition is None else likeness(pictures[0], condition),
    )


def _spread(times: Sequence[float]) -> Sequence[int]:
    return sorted({round(place) for place in np.linspace(0, len(times) - 1, min(PICTURES, len(times)))})


def likeness(one: Grey, other: Grey) -> float:
    """Structural similarity over squares of eight pixels, -1 to 1 (Wang et al. 2004, IEEE Transactions on Image
    Processing 13).
    """
    height, width = (min(sides) // 8 * 8 for sides in zip(one.shape, other.shape, strict=True))
    first, second = (_squares(picture[:height, :width]) for picture in (one, other))
    means = first.mean(axis=1), second.mean(axis=1)
    together = ((first - means[0][:, None]) * (second - means[1][:, None])).mean(axis=1)
    light, detail = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    by_light = (2 * means[0] * means[1] + light) / (means[0] ** 2 + means[1] ** 2 + light)
    by_detail = (2 * together + detail) / (_unevenness(first) + _unevenness(second) + detail)
    return float(np.mean(by_light * by_detail))


def _squares(picture: Grey) -> Grey:
    height, width = picture.shape
    return picture.reshape(height // 8, 8, width // 8, 8).swapaxes(1, 2).reshape(-1, 64)


def _unevenness(pixels: Grey) -> Grey:
    """The mean squared distance of pixels from their mean, along the last axis."""
    means = pixels.mean(axis=-1, keepdims=True)
    return np.mean(np.square(pixels - means), axis=-1)
