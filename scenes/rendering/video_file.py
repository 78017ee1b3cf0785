"""Writes a video file; it gets its name only when it is complete, and the same content gives the same bytes."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import av
from av.container import OutputContainer

from scenes.whole_files import whole

M_PERTURB: Final = -6  # from glibc's malloc.h: new memory is filled with the complement of its byte
ZEROS, AS_IT_COMES = 0xFF, 0


@contextmanager
def zeroed_memory() -> Iterator[None]:
    """Fill newly allocated memory with zeros inside the block; without glibc nothing changes.

    x264's macroblock tree reads past the end of rows whose width is no multiple of 128 pixels, and its decisions
    depend on those bytes: 3 to 10 of 1,000 files of the same pictures differed.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        yield
        return
    mallopt(M_PERTURB, ZEROS)
    try:
        yield
    finally:
        mallopt(M_PERTURB, AS_IT_COMES)


CONTAINER = {"movflags": "+faststart", "fflags": "+bitexact"}


@contextmanager
def video_file(path: Path) -> Iterator[OutputContainer]:
    """Yield an mp4 container for streams; the file gets its name when the block ends."""
    with (
        zeroed_memory(),
        whole(path) as temporary,
        av.open(str(temporary), "w", format="mp4", options=CONTAINER) as container,
    ):
        yield container
