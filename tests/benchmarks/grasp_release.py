"""Makes tiny releases in GRASP's official layout: real H.264 (or mp4v) files of a few frames."""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import av
import numpy as np

from scenes.rendering.video_file import zeroed_memory

SIZE = 32
FRAMES = 10
FPS = 10
ORDERINGS = {"TwoObjectOrdering": 2, "ThreeObjectOrdering": 3, "FourObjectOrdering": 4}
NAMES = ("red ball", "blue cube", "green ball", "black cube")


def write_clip(
    path: Path, *, seed: int = 0, noise: int = 20, codec: str = "libx264", frames: int = FRAMES, draw: int | None = None
) -> Path:
    """A clip of coloured noise; more noise makes a larger file. Clips of one `draw` have the same first picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_encoded(path.parent.name, seed, noise, codec, frames, draw))
    return path


@cache
def _encoded(title: str, seed: int, noise: int, codec: str, frames: int, draw: int | None = None) -> bytes:
    begins, goes_on = np.random.default_rng(seed if draw is None else draw), np.random.default_rng(seed)
    chances = [begins] * frames if draw is None else [begins, *[goes_on] * (frames - 1)]
    with NamedTemporaryFile(suffix=".mp4") as file, zeroed_memory():  # the same bytes in each process
        _encode(Path(file.name), title, chances, noise, codec)
        return file.read()


def _encode(path: Path, title: str, chances: list[np.random.Generator], noise: int, codec: str) -> None:
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as container:
        container.metadata["title"] = title  # metadata that must not become public
        stream = container.add_stream(codec, rate=FPS)
        assert isinstance(stream, av.VideoStream)
        stream.width = stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        colour = chances[0].integers(40, 200, 3)
        for chance in chances:
            pixels = colour + chance.integers(-noise, noise + 1, (SIZE, SIZE, 3))
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels.clip(0, 255).astype(np.uint8), "rgb24")))
        container.mux(stream.encode(None))


def write_scene(
    root: Path, folder: str, count: int, *, noise: int = 20, codec: str = "libx264", first: int = 0
) -> None:
    """Write `count` clips of a scene, with its text if it has one."""
    level = "level2" if folder.startswith(("P_", "IP_")) else "level1"
    for index in range(first, first + count):
        seed = sum(map(ord, folder)) * 1000 + index
        path = write_clip(root / "videos" / level / folder / f"{index:03}.mp4", seed=seed, noise=noise, codec=codec)
        if folder in ORDERINGS:
            turned = NAMES[index % 4 :] + NAMES[: index % 4]
            path.with_suffix(".txt").write_text("".join(f"{name}," for name in turned[: ORDERINGS[folder]]))


def write_release(root: Path, folders: Iterable[str], count: int = 2, **options) -> Path:
    for folder in folders:
        write_scene(root, folder, count, **options)
    return root


def write_trajectories(root: Path, *, profile: str = "corrected") -> None:
    """Write the files beside clips that were generated here."""
    for clip in sorted((root / "videos").glob("*/*/*.mp4")):
        place = root / "trajectories" / clip.relative_to(root / "videos").with_suffix(".json")
        place.parent.mkdir(parents=True, exist_ok=True)
        facts = {"seed": 1, "index": int(clip.stem), "profile": profile, "parameters": {"speed": 1.5}}
        place.write_text(json.dumps(facts))
        np.savez(place.with_suffix(".npz"), positions=np.zeros((FRAMES, 3)))
