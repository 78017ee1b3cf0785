"""Draws Tapped's ten shapes into docs/benchmarks/tapped/shapes.webp: `python -m bench.generation.tapped_shapes`."""

import colorsys
from pathlib import Path

import numpy as np
from PIL import Image

from scenes.rendering.looks import stage_of
from scenes.tapped.materials import MATERIALS
from scenes.tapped.planning import LIGHTS, NAMED_SHAPES, ROOMS
from scenes.tapped.staging import scene_of
from scenes.tapped.things import NamedObject
from scenes.tapped.touching import simulate_touches

OUT = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "tapped" / "shapes.webp"
SIZE, COLUMNS, STATE = (400, 225), 5, 20


def thing_of(number: int, shape: str) -> NamedObject:
    return NamedObject(
        key=f"object{number:04}",
        material=list(MATERIALS)[number],
        shape=shape,
        edge=0.125,
        colour=colorsys.hsv_to_rgb(number * 0.137 % 1, 0.65, 0.85),
        is_painted=True,
        action="tapped",
        group=0,
        split="val",
        room=ROOMS[number % 2],
        light=LIGHTS[number % 3],
    )


def main() -> None:
    sample = []
    for number, shape in enumerate(NAMED_SHAPES["tapped"]):
        thing = thing_of(number, shape)
        trajectory, _ = simulate_touches(scene_of(thing, np.random.default_rng(number)), thing)
        sample.append(stage_of(trajectory, SIZE, "classic").draw(STATE))
    rows = [np.concatenate(sample[at : at + COLUMNS], axis=1) for at in range(0, len(sample), COLUMNS)]
    Image.fromarray(np.concatenate(rows)).save(OUT, quality=70, method=6)


if __name__ == "__main__":
    main()
