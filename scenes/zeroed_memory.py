"""Zero-initialised memory, for an encoder that reads bytes it never wrote."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
