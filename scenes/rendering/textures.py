"""Surface textures made from noise with fixed seeds: no files, and the same on every machine."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

Picture = NDArray[np.uint8]  # height, width, 3
Tone = tuple[float, float, float]

SIZE = 256  # pixels an edge


def cloud(rng: np.random.Generator, along: float, across: float) -> NDArray[np.float64]:
    """Tileable noise with mean 0 and deviation 1, smoothed over this many pixels along x and across it."""
    smooth = gaussian_filter(rng.standard_normal((SIZE, SIZE)), (across, along), mode="wrap")
    return smooth / smooth.std()


def picture(tone: Tone, shade: NDArray[np.float64]) -> Picture:
    """One colour, brightened and darkened by `shade` (1 keeps it)."""
    return _bytes(np.array(tone) * shade[..., None])


def mixed(first: Picture, second: Picture, share: NDArray[np.float64]) -> Picture:
    return _bytes((first * (1 - share[..., None]) + second * share[..., None]) / 255)


def _bytes(values: NDArray[np.float64]) -> Picture:
    return np.asarray(np.clip(values, 0, 1) * 255, dtype=np.uint8)


def wood(seed: int, tone: Tone, *, rings: float, contrast: float, fibre: float) -> Picture:
    """Grain along x: `rings` growth lines across the picture, bent by slow noise, over fine fibres."""
    rng = np.random.default_rng(seed)
    across = np.linspace(0, 1, SIZE, endpoint=False)[:, None]
    bend = cloud(rng, 70, 22) * 0.35
    lines = np.sin(2 * np.pi * (across * rings + bend)) ** 3
    shade = 1 + contrast * lines + fibre * cloud(rng, 25, 0.7) + 0.05 * cloud(rng, 60, 6)
    return picture(tone, shade)


def peeling_paint() -> Picture:
    """Dark boards under flaking blue-grey paint."""
    rng = np.random.default_rng(7)
    bare = wood(8, (0.50, 0.36, 0.24), rings=7, contrast=0.10, fibre=0.10)
    paint = picture((0.66, 0.74, 0.76), 1 + 0.05 * cloud(rng, 12, 3))
    flakes = np.clip((cloud(rng, 9, 2) + 0.5 * cloud(rng, 3, 1) - 1.1) * 3, 0, 0.85)
    return mixed(paint, bare, flakes)


def worn_table() -> Picture:
    """Brown wood with lighter worn patches and dark stains."""
    rng = np.random.default_rng(9)
    base = wood(10, (0.48, 0.31, 0.18), rings=5, contrast=0.10, fibre=0.08)
    worn = picture((0.66, 0.50, 0.34), 1 + 0.06 * cloud(rng, 20, 1))
    return mixed(base, worn, np.clip(cloud(rng, 40, 9) * 0.35, 0, 0.7))


def wall_of_boards() -> Picture:
    """Five boards one above another, each in its own tone, with dark gaps."""
    rng = np.random.default_rng(11)
    base = wood(12, (0.62, 0.45, 0.29), rings=9, contrast=0.07, fibre=0.08) / 255
    board = np.arange(SIZE) * 5 // SIZE
    tones = rng.uniform(0.8, 1.12, size=5)[board]
    gap = np.where((np.arange(SIZE) * 5 % SIZE) < 12, 0.45, 1.0)
    return _bytes(base * (tones * gap)[:, None, None])


def parquet() -> Picture:
    """Herringbone: blocks of one by four units, laid in alternating directions."""
    rng = np.random.default_rng(13)
    unit, length = SIZE // 16, 4
    rows, columns = np.indices((SIZE, SIZE))
    # On this lattice each step of one unit down shifts the pattern by one unit, which makes the zigzag.
    x, y = columns // unit, rows // unit
    phase = (x - y) % (2 * length)
    is_lying = phase < length
    along = np.where(is_lying, phase * unit + columns % unit, (2 * length - 1 - phase) * unit + rows % unit)
    edge = np.where(is_lying, rows % unit, columns % unit)
    block = np.where(is_lying, y * 31 + (x - phase) * 17, x * 29 + (y - (2 * length - 1 - phase)) * 13)
    tones = rng.uniform(0.82, 1.12, size=997)[block % 997]
    joint = np.where((edge == 0) | (along == 0), 0.72, 1.0)
    return picture((0.62, 0.44, 0.27), tones * joint * (1 + 0.05 * cloud(rng, 6, 6)))


def plaster() -> Picture:
    """Beige, faintly mottled; light enough to take any tint."""
    rng = np.random.default_rng(14)
    return picture((0.90, 0.84, 0.74), 1 + 0.025 * cloud(rng, 24, 24) + 0.02 * cloud(rng, 1, 1))


def rusty_metal() -> Picture:
    """Green paint with spots of rust."""
    rng = np.random.default_rng(15)
    paint = picture((0.30, 0.45, 0.33), 1 + 0.06 * cloud(rng, 20, 20) + 0.03 * cloud(rng, 1, 6))
    rust = picture((0.45, 0.25, 0.13), 1 + 0.18 * cloud(rng, 2, 2))
    spots = cloud(rng, 10, 10) + 0.45 * cloud(rng, 2, 2)
    return mixed(paint, rust, np.clip((spots - 1.0) * 2.5, 0, 1))


def fabric() -> Picture:
    """A woven check of ochre and dark red."""
    rng = np.random.default_rng(16)
    rows, columns = np.indices((SIZE, SIZE))
    stripes = ((columns // 32) % 2 + (rows // 32) % 2) / 2
    weave = 1 + 0.12 * np.where((rows // 4 + columns // 4) % 2, 1, -1) + 0.05 * cloud(rng, 1, 1)
    return mixed(picture((0.86, 0.66, 0.26), weave), picture((0.58, 0.13, 0.12), weave), stripes)


def granite() -> Picture:
    """Grey with dark and light grains."""
    rng = np.random.default_rng(17)
    return picture((0.55, 0.54, 0.53), 1 + 0.16 * cloud(rng, 1.2, 1.2) + 0.06 * cloud(rng, 5, 5))


def cardboard() -> Picture:
    """Brown board with faint flutes."""
    rng = np.random.default_rng(18)
    flutes = 0.06 * np.sin(2 * np.pi * np.arange(SIZE) / 8)[None, :]
    return picture((0.76, 0.61, 0.43), 1 + flutes + 0.03 * cloud(rng, 3, 1))


def cells() -> Picture:
    """Open pores, light enough to take any tint."""
    rng = np.random.default_rng(19)
    return picture((0.95, 0.95, 0.95), 1 - 0.35 * np.clip(cloud(rng, 2, 2) - 0.8, 0, 1.2))


def panel() -> Picture:
    """Sheet metal with a fine grain and cloudy wear, light enough to take any tint."""
    rng = np.random.default_rng(20)
    return picture(
        (0.9, 0.9, 0.9), 1 + 0.045 * cloud(rng, 40, 30) + 0.035 * cloud(rng, 14, 0.8) + 0.02 * cloud(rng, 1, 1)
    )


TEXTURES: dict[str, Callable[[], Picture]] = {
    "DarkWood": lambda: wood(1, (0.39, 0.25, 0.16), rings=6, contrast=0.16, fibre=0.12),
    "FineGrainedWood": lambda: wood(2, (0.72, 0.52, 0.33), rings=18, contrast=0.05, fibre=0.06),
    "Plywood": lambda: wood(3, (0.84, 0.69, 0.48), rings=3, contrast=0.06, fibre=0.04),
    "Wood02": lambda: wood(4, (0.60, 0.33, 0.20), rings=5, contrast=0.12, fibre=0.07),
    "Wood04": lambda: wood(5, (0.55, 0.49, 0.41), rings=8, contrast=0.10, fibre=0.09),
    "WoodPeelingPaint": peeling_paint,
    "WoodTableWorn": worn_table,
    "WoodWall": wall_of_boards,
    "Parquet": parquet,
    "Plaster": plaster,
    "GreenMetalRust": rusty_metal,
    "FabricPattern3": fabric,
    "Granite": granite,
    "Cardboard": cardboard,
    "Cells": cells,
    "Panel": panel,
}
