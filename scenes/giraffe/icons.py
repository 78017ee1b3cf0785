"""Our own icons: each a few paths in tones of the element's colour or in fixed colours; and strokes of the digits."""

import tomllib
from pathlib import Path

DATA = tomllib.loads((Path(__file__).parent / "data" / "icons.toml").read_text(encoding="utf-8"))
Layer = tuple[str, str]  # tone, path

ICONS: dict[str, tuple[Layer, ...]] = {
    name: tuple((tone, path) for tone, _, path in (layer.partition(" ") for layer in layers))
    for name, layers in DATA["icons"].items()
}
GLYPHS: dict[str, str] = DATA["glyphs"]

# Icons without symmetry, which look different in every rotation.
TURNABLE = (
    "arrow", "key", "fish", "car", "house", "tree", "flower", "umbrella", "mug", "flag", "boat", "bell", "mushroom",
    "hammer", "pencil", "spoon", "moon", "leaf", "apple",
)  # fmt: skip
COUNTABLE = (
    "apple", "pear", "cherry", "heart", "star", "moon", "fish", "car", "house", "tree", "flower", "leaf", "mug", "boat",
    "balloon", "bell", "mushroom", "key", "ball", "cube",
)  # fmt: skip
SHAPES = ("circle", "square", "triangle", "diamond", "hexagon", "pentagon", "cross", "star", "heart")

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (214, 48, 49),
    "orange": (240, 140, 32),
    "yellow": (247, 205, 46),
    "green": (46, 145, 72),
    "blue": (38, 98, 200),
    "purple": (126, 63, 178),
    "pink": (240, 130, 175),
    "brown": (128, 82, 46),
    "grey": (150, 154, 162),
    "black": (38, 40, 46),
    "white": (255, 255, 255),
}
STRONG = ("red", "orange", "green", "blue", "purple", "pink", "brown", "black")  # visible on white, unlike yellow
PLAIN = ("red", "yellow", "green", "blue", "purple", "black")  # easily distinguished, also side by side
