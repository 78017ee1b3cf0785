"""Where a long video is cut into clips and which of them are picked, by PACS' rules (fact sheet, section 6.1). Pure.

Times are seconds from the first frame. A shot shorter than 4 s is dropped; the others are cut at random into clips of
5 to 10 s, which begin at keyframes so that nothing is encoded again. Of the clips whose sound is fit, some are picked
at random: one a shot at most, and far apart.
"""

import itertools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from numpy.random import Generator

LEAST_SHOT = 4.0  # seconds
SHORTEST, LONGEST = 5.0, 10.0  # seconds of a clip
LEAST_CLIP = LEAST_SHOT  # what is left of a shot may be this short, as in the release
MINUTE = 60.0
# Length of the video up to which the distance holds; both in minutes.
DISTANCES = ((10.0, 5.0), (35.0, 7.0), (float("inf"), 10.0))
CLOSE = 1e-6  # seconds; rounding of time stamps


@dataclass(frozen=True)
class Span:
    """A part of a video, in seconds; `shot` is the number of the shot that it lies in."""

    start: float
    end: float
    shot: int

    @property
    def seconds(self) -> float:
        return self.end - self.start


def shots_of(cuts: Sequence[float], seconds: float) -> list[Span]:
    """The shots between the cuts, those that are too short left out; they keep their number."""
    ends = [0.0, *sorted(cut for cut in cuts if 0 < cut < seconds), seconds]
    shots = [Span(start, end, number) for number, (start, end) in enumerate(itertools.pairwise(ends))]
    return [shot for shot in shots if shot.seconds >= LEAST_SHOT]


def clips_of(shots: Sequence[Span], keyframes: Sequence[float], rng: Generator) -> list[Span]:
    """Each shot cut at keyframes into clips of 5 to 10 s, which of them being drawn.

    Where keyframes lie more than 10 s apart, what is between them is left out; what remains at the end of a shot is a
    clip of its own from 4 s on.
    """
    return [clip for shot in shots for clip in _within(shot, sorted(keyframes), rng)]


def _within(shot: Span, keyframes: Sequence[float], rng: Generator) -> Iterator[Span]:
    inside = [time for time in keyframes if shot.start - CLOSE <= time <= shot.end - LEAST_CLIP]
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
    """How far apart picked clips of a video of this length must begin, in seconds."""
    return next(apart for length, apart in DISTANCES if seconds < length * MINUTE) * MINUTE


def picked(clips: Sequence[Span], seconds: float, rng: Generator) -> list[Span]:
    """Clips drawn one after the other as long as any fits: one a shot, and apart by the rule for such a video."""
    apart = distance_of(seconds)
    taken: list[Span] = []
    for place in rng.permutation(len(clips)):
        clip = clips[int(place)]
        if all(other.shot != clip.shot and abs(other.start - clip.start) >= apart - CLOSE for other in taken):
            taken.append(clip)
    return sorted(taken, key=lambda clip: clip.start)
