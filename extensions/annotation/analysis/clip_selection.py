"""Cuts a long video into clips and picks some of them, by PACS' rules (fact sheet, section 6.1). Pure.

Times are seconds from the first frame. Shots shorter than 4 s (or the material's own `shortest`) are dropped; the
others are cut at random into clips of 5 to 10 s, which begin at keyframes so that most can be copied as they are. Some
clips with suitable sound are picked at random: at most one per shot, and far apart.
"""

import itertools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from numpy.random import Generator

LEAST = 4.0  # seconds; minimum of a shot and of its last clip, as in the release
SHORTEST, LONGEST = 5.0, 10.0  # seconds; minimum and maximum of a clip
MINUTE = 60.0
# (length of the video, minimum distance of its clips), in minutes; the length is an upper bound.
DISTANCES = ((10.0, 5.0), (35.0, 7.0), (float("inf"), 10.0))
CLOSE = 1e-6  # seconds; rounding of time stamps


@dataclass(frozen=True)
class Span:
    """A part of a video, in seconds; `shot` is the number of its shot."""

    start: float
    end: float
    shot: int

    @property
    def seconds(self) -> float:
        return self.end - self.start


def shots_of(cuts: Sequence[float], seconds: float, shortest: float = LEAST) -> list[Span]:
    """The shots between the cuts, without those that are too short; numbers count all shots."""
    ends = [0.0, *sorted(cut for cut in cuts if 0 < cut < seconds), seconds]
    shots = [Span(start, end, number) for number, (start, end) in enumerate(itertools.pairwise(ends))]
    return [shot for shot in shots if shot.seconds >= shortest]


def clips_of(shots: Sequence[Span], keyframes: Sequence[float], rng: Generator, shortest: float = LEAST) -> list[Span]:
    """Each shot cut into clips of 5 to 10 s at randomly drawn keyframes.

    A stretch without a keyframe for more than 10 s is left out. The rest at the end of a shot becomes a clip if it is
    at least `shortest` seconds long.
    """
    return [clip for shot in shots for clip in _within(shot, sorted(keyframes), rng, shortest)]


def _within(shot: Span, keyframes: Sequence[float], rng: Generator, shortest: float) -> Iterator[Span]:
    inside = [time for time in keyframes if shot.start - CLOSE <= time <= shot.end - shortest]
    place = 0
    while place < len(inside):
        start = inside[place]
        first, last = (bisect_left(inside, start + length) for length in (SHORTEST - CLOSE, LONGEST + CLOSE))
        if first < last:
            place = int(rng.integers(first, last))
            yield Span(start, inside[place], shot.shot)
        elif shot.end - start <= LONGEST:
            yield Span(start, shot.end, shot.shot)
            return
        else:
            place += 1


def distance_of(seconds: float) -> float:
    """The minimum distance between starts of selected clips, in seconds, for a video of this length in seconds."""
    return next(apart for length, apart in DISTANCES if seconds < length * MINUTE) * MINUTE


def picked(clips: Sequence[Span], seconds: float, rng: Generator) -> list[Span]:
    """Clips drawn at random until no more fit: one per shot, and `distance_of(seconds)` apart."""
    apart = distance_of(seconds)
    taken: list[Span] = []
    for place in rng.permutation(len(clips)):
        clip = clips[int(place)]
        if all(other.shot != clip.shot and abs(other.start - clip.start) >= apart - CLOSE for other in taken):
            taken.append(clip)
    return sorted(taken, key=lambda clip: clip.start)
