"""Decodes a clip for its lint: some small pictures, evenly spread, and what its headers say."""

import hashlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.encoding.frames import frames
from benchmarks.encoding.probe import MEDIA_ERRORS, probe
from extensions.generated.clipsets.clip_facts import ClipSeen, UnseenClipError

PICTURES, SIDE = 16, 64
NOISE = 12.0  # grey levels that compression alone may change a pixel by
SQUARE = 8  # pixels
LIGHT, TEXTURE = (0.01 * 255) ** 2, (0.03 * 255) ** 2
GREY = np.array([0.299, 0.587, 0.114])

Grey = NDArray[np.float64]  # height, width; 0 to 255


def see(path: Path, first: Path | None = None) -> ClipSeen:
    """What is seen of a clip, and how like its beginning is to the picture that was given.

    Raises UnseenClipError with the reason for a file that can't be decoded from beginning to end.
    """
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
        likeness=_likeness(pictures[0], _grey(first)) if first else None,
    )


def _grey(path: Path) -> Grey:
    return next(frames(path, [0], longest=SIDE, threads=1)).picture @ GREY


def _likeness(picture: Grey, other: Grey) -> float:
    """The mean structural similarity of two pictures (Wang et al. 2004) in squares; the other is stretched to fit."""
    rows, columns = (
        np.linspace(0, there - 1, here).round().astype(int)
        for here, there in zip(picture.shape, other.shape, strict=True)
    )
    one, two = _squares(picture), _squares(other[np.ix_(rows, columns)])
    centres = one.mean(axis=-1), two.mean(axis=-1)
    together = np.mean((one - centres[0][:, None]) * (two - centres[1][:, None]), axis=-1)
    light = (2 * centres[0] * centres[1] + LIGHT) / (centres[0] ** 2 + centres[1] ** 2 + LIGHT)
    texture = (2 * together + TEXTURE) / (_unevenness(one) + _unevenness(two) + TEXTURE)
    return float(np.mean(light * texture))


def _squares(picture: Grey) -> Grey:
    """[square, pixel] of the squares that fit into the picture."""
    height, width = (length // SQUARE * SQUARE for length in picture.shape)
    cut = picture[:height, :width].reshape(height // SQUARE, SQUARE, width // SQUARE, SQUARE)
    return cut.swapaxes(1, 2).reshape(-1, SQUARE * SQUARE)


def _spread(times: Sequence[float]) -> Sequence[int]:
    return sorted({round(place) for place in np.linspace(0, len(times) - 1, min(PICTURES, len(times)))})


def _unevenness(pixels: Grey) -> Grey:
    """The mean squared distance of pixels from their mean, along the last axis."""
    means = pixels.mean(axis=-1, keepdims=True)
    return np.mean(np.square(pixels - means), axis=-1)
