"""Audibility of materials in `tapped`: spectrograms for its page, and the accuracy of a nearest-neighbour listener.

`python -m bench.generation.tapped_audibility` writes the spectrograms into docs/benchmarks/tapped/ and prints the
accuracies of both stagings as JSON lines; the spectrograms are of the first, without the echo of a room.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from measures.intervals import wilson
from scenes.tapped.listening import features, log_mel, nearest
from scenes.tapped.materials import MATERIALS
from scenes.tapped.planning import SHAPES, group_of
from scenes.tapped.sound import RATE, clip_sound_of
from scenes.tapped.staging import SECONDS, scene_of
from scenes.tapped.things import TappedObject
from scenes.tapped.touching import simulate_touches

FOLDER = Path(__file__).parents[2] / "docs" / "benchmarks" / "tapped"
KNOWN_SEEDS, QUESTION_SEEDS = (11, 12, 13), (21, 22, 23)
SIX = ("metal", "glass", "wood", "plastic", "rubber", "paper")
# Features that only one of each pair has, visible in the spectrogram and audible in the clip.
TELLING = (
    ("metal", "wood", "The metal's tone goes on behind each tap; the wood's is over with it."),
    ("metal", "glass", "The metal's tone reaches twice as far to the right as the glass's."),
    ("glass", "ceramic", "The glass's tone reaches further to the right than the ceramic's."),
    ("ceramic", "stone", "The ceramic leaves a short tail behind each tap, the stone none."),
    ("wood", "plastic", "The wood's bright spot lies about three times as high in frequency."),
    ("plastic", "rubber", "The plastic has a spot well above the bottom; the rubber is a wedge at the very bottom."),
    ("rubber", "foam", "The rubber's wedge is higher, and trails for longer."),
    ("paper", "wood", "The paper is an upright streak without a tone; the wood has a compact spot above it."),
    (
        "foam",
        "textile",
        "The nearest of the ten: both are thuds at the bottom, and the foam's reaches a little higher.",
    ),
    ("stone", "textile", "The stone's knock is in the middle of the picture, the textile's thud at its bottom."),
)
WIDE, HIGH, GAP = 320, 150, 26  # pixels of a spectrogram and of its title
LOUD, SOFT = 0.0, -9.0  # log power relative to the loudest, shown as white and black
RAMP = np.array([(10, 8, 30), (70, 20, 110), (180, 50, 100), (245, 140, 50), (255, 245, 190)], float)
Floats = NDArray[np.float64]


def recordings(
    seed: int, actions: tuple[str, ...] = tuple(SHAPES), edges: int = 1, staging: int = 1
) -> Iterator[tuple[TappedObject, Floats]]:
    """Yield objects of each material for each action, with the sound of their clips."""
    for number, action in enumerate(SHAPES):
        if action not in actions:
            continue
        for material in MATERIALS:
            for place in range(edges):
                rng = np.random.default_rng([seed, number, list(MATERIALS).index(material), place])
                thing = replace(group_of(seed + place, number, staging)[0], material=material)
                scene = scene_of(thing, rng)
                _, touches = simulate_touches(scene, thing)
                yield thing, clip_sound_of(thing, touches, SECONDS, rng)


def named(
    known: list[tuple[TappedObject, Floats]], taps: list[tuple[TappedObject, Floats]]
) -> list[tuple[str, str, str]]:
    """(action, material, material of the nearest known recording) for each recording in `asked`."""
    table = np.array([features(sound, RATE) for _, sound in known])
    rows = np.array([features(sound, RATE) for _, sound in taps])
    found = nearest(table, [thing.material for thing, _ in known], rows)
    return [(thing.action, thing.material, name) for (thing, _), name in zip(taps, found, strict=True)]


def result_of(found: list[tuple[str, str, str]]) -> dict[str, object]:
    """Share of correctly named materials with its 95 % interval, overall and by action."""
    result: dict[str, object] = {}
    for action in ("", *SHAPES):
        some = [material == name for one, material, name in found if action in ("", one)]
        if some:
            low, high = (lambda interval: (interval.low, interval.high))(wilson(sum(some), len(some)))
            result[action or "all"] = {"n": len(some), "right": sum(some), "low": round(low, 3), "high": round(high, 3)}
    return result


def spectrogram_picture(sound: Floats, title: str) -> Image.Image:
    """A mel spectrogram with its title, low tones at the bottom, three seconds wide."""
    spectrogram = log_mel(sound, RATE)
    level = np.clip((spectrogram - spectrogram.max() - SOFT) / (LOUD - SOFT), 0, 1)[::-1]
    place = level * (len(RAMP) - 1)
    low = np.minimum(place.astype(int), len(RAMP) - 2)
    colours = RAMP[low] + (RAMP[low + 1] - RAMP[low]) * (place - low)[..., None]
    picture = Image.fromarray(colours.astype(np.uint8)).resize((WIDE, HIGH), Image.Resampling.BILINEAR)
    canvas = Image.new("RGB", (WIDE, HIGH + GAP), "white")
    canvas.paste(picture, (0, GAP))
    ImageDraw.Draw(canvas).text((4, 6), title, fill="black")
    return canvas


def grid(pictures: list[Image.Image], columns: int) -> Image.Image:
    wide, high = WIDE + 8, HIGH + GAP + 8
    sheet = Image.new("RGB", (wide * columns, high * -(-len(pictures) // columns)), "white")
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (number % columns * wide, number // columns * high))
    return sheet


Recordings = list[tuple[TappedObject, Floats]]


def recorded(staging: int) -> tuple[Recordings, Recordings]:
    """Known recordings, and others that are to be named."""
    known, taps = (
        [one for seed in seeds for one in recordings(seed, staging=staging)] for seeds in (KNOWN_SEEDS, QUESTION_SEEDS)
    )
    return known, taps


def main() -> None:
    (known, taps), in_rooms = recorded(1), recorded(2)
    FOLDER.mkdir(parents=True, exist_ok=True)
    tapped = {thing.material: sound for thing, sound in taps if thing.action == "tapped"}
    grid([spectrogram_picture(tapped[name], name) for name in SIX], 3).save(FOLDER / "materials.png", optimize=True)
    pairs = [
        spectrogram_picture(tapped[name], f"{number}. {name}")
        for number, pair in enumerate(TELLING, 1)
        for name in pair[:2]
    ]
    grid(pairs, 4).save(FOLDER / "pairs.png", optimize=True)
    for staging, (ours, theirs) in enumerate(((known, taps), in_rooms), 1):
        print(json.dumps({"staging": staging, "known": len(ours), **result_of(named(ours, theirs))}), flush=True)


if __name__ == "__main__":
    main()
