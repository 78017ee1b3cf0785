"""Writes a video file; it gets its name only when it is complete, and the same content gives the same bytes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
from av.container import OutputContainer

from scenes.whole_files import whole
from scenes.zeroed_memory import zeroed_memory

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
