"""Objects with two colours and two tones, which any of PACS' networks can learn in seconds."""

import itertools

import numpy as np

from evaluation.adapters.base import Audio, BoundingBox, Frames
from extensions.training.pacs.examples import PairQuestion

RINGS, SHINES = "Which object rings?", "Which object is bright?"
RATE = 16_000
BOX = (24, 10, 40, 26)


def frames_of(bright: bool, seed: int = 0, count: int = 3) -> Frames:
    """A bright or a dark square on noise, its box drawn on the middle frame."""
    chance = np.random.default_rng(seed)
    pixels = chance.integers(90, 130, (count, 36, 64, 3), dtype=np.uint8)
    left, top, right, bottom = BOX
    pixels[:, top:bottom, left:right] = 230 if bright else 20
    middle = count // 2
    plain = pixels[middle].copy()
    pixels[middle, top : top + 2, left:right] = (255, 0, 0)
    mark = BoundingBox(middle, BOX, plain, is_extra=False)
    return Frames(pixels, tuple(range(count)), tuple(map(float, range(count))), f"{bright}{seed}", 3.0, 1.0, mark)


def audio_of(high: bool, seed: int = 0, seconds: float = 1.0) -> Audio:
    """A high or a low tone in noise."""
    time = np.arange(int(seconds * RATE)) / RATE
    noise = np.random.default_rng(seed).normal(0, 0.01, len(time))
    return Audio((0.5 * np.sin(2 * np.pi * (3000 if high else 300) * time) + noise).astype(np.float32), RATE)


def world(inputs, groups: int, seed: int = 0):
    """Objects by number, each combination once per group, and all questions about pairs of them."""
    objects, asked = {}, []
    for group in range(groups):
        for number, (bright, high) in enumerate(itertools.product((False, True), repeat=2)):
            key = 4 * group + number
            seen, heard = frames_of(bright, seed + key), audio_of(high, seed + key)
            objects[key] = {part: one.prepared(seen, heard) for part, one in inputs.items()}
        for number, pair in enumerate(itertools.combinations(range(4), 2)):
            first, second = pair if number % 2 else reversed(pair)
            for place, text in ((0, SHINES), (1, RINGS)):
                one, other = ((number >> (1 - place)) & 1 for number in (first, second))
                if one != other:
                    asked.append(PairQuestion(4 * group + first, 4 * group + second, text, int(other > one)))
    return objects, asked
