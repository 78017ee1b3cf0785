"""What is measured by decoding a clip, or why none could be decoded; without Django, for sandboxed processes."""

from dataclasses import dataclass


class UnseenClipError(ValueError):
    """A clip that can't be decoded; the message says why."""


@dataclass(frozen=True)
class ClipSeen:
    """What was found by decoding a clip. Grey levels are 0 to 255, of pictures 64 pixels wide, evenly spread."""

    width: int
    height: int
    fps: float
    seconds: float
    has_sound: bool
    size: int
    sha256: str
    darkest: float  # the least mean of a picture
    flattest: float  # the least spread within a picture
    moved: float  # the share of pixels that ever differ from the first picture
    largest_jump: float  # the largest change between neighbours, as a share of all changes
    likeness: float | None = None  # of the first picture and the one that was given; None if none was
