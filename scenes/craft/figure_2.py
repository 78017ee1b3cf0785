"""Each scene between its extremes, as in the paper's Figure 2: `python -m scenes.craft.figure_2 FOLDER` writes them."""

import sys
from pathlib import Path

from PIL import Image

from scenes.craft.drawing import Pixels, overlaid
from scenes.craft.world.parts import Setting
from scenes.craft.world.run import Thing
from scenes.craft.world.staging import LAYOUTS, stage

EDGE = 256


def picture_of(scene: int, edge: int = EDGE) -> Pixels:
    """The middle of every range in black, over both ends."""
    return overlaid(_fixed(scene, "mean"), (_fixed(scene, "min"), _fixed(scene, "max")), edge)


def _fixed(scene: int, setting: Setting) -> list[Thing]:
    return [thing for thing in stage(scene, 0, 0, setting=setting) if not thing.is_dynamic]


def write_pictures(folder: Path) -> None:
    """Write one file for each scene, with the same bytes every time."""
    folder.mkdir(parents=True, exist_ok=True)
    for scene in LAYOUTS:
        Image.fromarray(picture_of(scene)).convert("L").save(folder / f"scene-{scene}.webp", lossless=True)


if __name__ == "__main__":
    write_pictures(Path(sys.argv[1]))
