"""Memory that begins as zeros, for an encoder that reads what nobody has written."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

M_PERTURB: Final = -6  # of glibc's malloc.h: the complement of its byte fills what is allocated
ZEROS, AS_IT_COMES = 0xFF, 0


@contextmanager
def zeroed_memory() -> Iterator[None]:
    """While it lasts, memory that this process is given begins as zeros; without glibc nothing changes.

    x264's macroblock tree looks past the end of rows that are no multiple of 128 pixels wide, and decides by what lies
    there: three to ten of 1,000 files of the same pictures differed (docs/decisions/0010-the-same-bytes.md).
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
