"""Makes items with their pictures one at a time, then the list of all items; finished items are kept.

```text
OUT/items/clock/0007/1.png … 4.png      the pictures in their order
OUT/items/clock/0007/next.png           the next one
OUT/items/clock/0007/wrong-1.png … -3   near misses
OUT/items/clock/0007/video.mp4          the pictures as a video, one a second
OUT/items/clock/0007/item.json          its record; written last: it marks a finished item
OUT/items.json                          the records of all items, in order
OUT/made_here.json                      the seed
```
"""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
import numpy as np

from scenes.giraffe.drawing import Pixels
from scenes.giraffe.notation import written
from scenes.giraffe.puzzle import WRONG, Puzzle
from scenes.giraffe.puzzles.hand import compositions
from scenes.giraffe.scenarios import MOST, SCENARIOS, puzzle
from scenes.rendering.video_file import video_file
from scenes.whole_files import READABLE, write_json

SIZE, FPS = (256, 256), 1
HAND = "hand"  # the hand-made set, named like a scenario
LETTERS = "abcd"
ITEMS, MADE_HERE, RECORD = "items.json", "made_here.json", "item.json"
ENCODER: Final = "libx264"
# One thread and no date: the same pictures give the same bytes.
OPTIONS = {"preset": "veryfast", "crf": "16", "threads": "1", "bf": "0"}


def keys_of(count: int, only: Sequence[str] = ()) -> list[str]:
    """Names of the wanted items, `count` of each scenario; `hand` is the whole hand-made set."""
    for name in only:
        if name not in (*SCENARIOS, HAND):
            raise ValueError(f"no scenario {name!r}: there is {', '.join((*SCENARIOS, HAND))}")
    if not 1 <= count <= MOST:
        raise ValueError(f"count {count}: 1 to {MOST} items a scenario")
    chosen = [name for name in SCENARIOS if not only or name in only]
    # All scenarios for each number, so that a set that is stopped early has all of them.
    keys = [f"{name}/{number:04}" for number in range(1, count + 1) for name in chosen]
    return keys + ([f"{HAND}/{name}" for name in compositions()] if HAND in only else [])


def refuse_format(size: tuple[int, int], fps: int) -> None:
    if size[0] != size[1] or not 64 <= size[0] <= 1024 or size[0] % 2:
        raise ValueError(f"size {size[0]}x{size[1]}: pictures are square, even, and 64 to 1024 pixels wide")
    if not 1 <= fps <= 60:
        raise ValueError(f"fps {fps}: 1 to 60")


def puzzle_of(key: str, seed: int) -> Puzzle:
    """The puzzle of a key; the hand-made set is the same for every seed."""
    scenario, _, name = key.partition("/")
    return compositions()[name] if scenario == HAND else puzzle(scenario, seed, int(name) - 1)


def make(key: str, seed: int, out: Path, *, size: tuple[int, int] = SIZE, fps: int = FPS) -> bool:
    """Draw this item; True if it existed already."""
    wanted, folder = _made(seed, size[0], fps), out / "items" / key
    if _made_as(folder) == wanted:
        return True
    refuse_others(out)
    _draw(key, puzzle_of(key, seed), out, wanted)
    return False


def _made(seed: int, size: int, fps: int) -> dict[str, int]:
    """How an item was made, for its record."""
    return {"seed": seed, "size": size, "fps": fps}


def refuse_others(out: Path) -> None:
    """Refuse a folder prepared from other data sets, whose pictures may not be shown."""
    if (out / ITEMS).is_file() and not (out / MADE_HERE).is_file():
        raise ValueError(f"{out}: holds items of other data sets; make patterns in another folder")


def _draw(key: str, found: Puzzle, out: Path, wanted: Mapping[str, Any]) -> None:
    """Write all files of an item, its record last."""
    from scenes.giraffe.drawing import pixels_of, write_png

    size, folder = wanted["size"], out / "items" / key
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD).unlink(missing_ok=True)
    images = [pixels_of(picture, size) for picture in found.images]
    for number, pixels in enumerate(images, start=1):
        write_png(pixels, folder / f"{number}.png")
    write_png(pixels_of(found.following, size), folder / "next.png")
    for number, wrong in enumerate(found.near_misses, start=1):
        write_png(pixels_of(wrong.picture, size), folder / f"wrong-{number}.png")
    film(images, folder / "video.mp4", fps=wanted["fps"])
    write_json(folder / RECORD, {"made": dict(wanted)} | record_of(key, found), **READABLE)


def record_of(key: str, found: Puzzle) -> dict[str, Any]:
    """An item's record: its files below OUT, both texts, the order of the choices, and the pictures in notation."""
    scenario = key.partition("/")[0]
    folder = f"items/{key}"
    answer = int(np.random.default_rng(zlib.crc32(key.encode())).integers(WRONG + 1))
    choices = [f"{folder}/wrong-{number}.png" for number in range(1, WRONG + 1)]
    choices.insert(answer, f"{folder}/next.png")
    return {
        "id": key,
        "dataset": "human-made" if scenario == HAND else "automated",
        "scenario": None if scenario == HAND else scenario,
        "changes": list(found.changes),
        "images": [f"{folder}/{number}.png" for number in range(1, len(found.images) + 1)],
        "video": f"{folder}/video.mp4",
        "next": f"{folder}/next.png",
        "pattern": found.pattern,
        "pred": found.pred,
        "choices": choices,
        "answer": LETTERS[answer],
        "wrong": [one.what for one in found.near_misses],
        "drawn": [written(picture) for picture in (*found.images, found.following)],
    }


def write_labels(seed: int, out: Path) -> int:
    """Write the list of all finished items of this seed; returns their number."""
    records = list(_finished(seed, out))
    write_json(out / MADE_HERE, {"set": "giraffe", "seed": seed}, **READABLE)
    write_json(out / ITEMS, records, **READABLE)
    return len(records)


def _finished(seed: int, out: Path) -> Iterator[dict[str, Any]]:
    order = {name: place for place, name in enumerate((*SCENARIOS, HAND))}
    paths = (out / "items").glob(f"*/*/{RECORD}")
    for path in sorted(paths, key=lambda one: (one.parent.name, order.get(one.parent.parent.name, -1))):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record.pop("made")["seed"] == seed:
            yield record


def _made_as(folder: Path) -> dict[str, Any] | None:
    try:
        made: dict[str, Any] = json.loads((folder / RECORD).read_text(encoding="utf-8"))["made"]
        return made
    except (OSError, ValueError, KeyError):
        return None


def film(pictures: Sequence[Pixels], path: Path, *, fps: int) -> None:
    """Write an mp4 file; it gets its name only when it is complete."""
    with video_file(path) as container:
        stream = container.add_stream(ENCODER, rate=fps, options=OPTIONS)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for number in range(len(pictures) * fps):
            frame = av.VideoFrame.from_ndarray(pictures[number // fps][..., :3].copy(), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
