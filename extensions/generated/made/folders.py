"""Writes the made clips as folders that the site imports like anybody's.

`prompts/` is the prompt pack (benchmark.toml, prompts.csv, first frames, references), `sets/SLUG/` a generator's clip
set (card.toml, manifest.csv, truth.csv, clips). The same order gives the same bytes on one machine.
"""

import csv
import shutil
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.definitions.registry import find_benchmark
from benchmarks.generation.generate import generate
from benchmarks.generation.set_makers import wait_for_orders
from extensions.generated.made.clips import FIRST_FRAMES, REFERENCES, MadeClip, MadeOrder, PromptOrder, make_prompt
from extensions.generated.made.generators import GENERATORS, LEADS, MadeGenerator, broken_clips, digest
from extensions.generated.made.twin_scenes import TwinScene

PACK, TITLE, VERSION = "made-here", "Made here", "1.0"
DATE = "2026-01-01"  # on every card: the bytes must not tell when they were made
TEXTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

Progress = Callable[[int, int], None]


def make_folders(order: MadeOrder, scenes_root: Path, out: Path, *, jobs: int = 2, progress: Progress) -> None:
    """Write `prompts/` and `sets/` into `out`, all or nothing; scenes below `scenes_root` are used again."""
    scenes = order.scenes(scenes_root)
    for draw in sorted({scene.index for scene in scenes}):
        tests = [scene.test for scene in scenes if scene.index == draw]
        chosen: dict[str, Any] = {"only": tests, "seed": order.seed, "size": order.size, "fps": order.fps}
        generate(find_benchmark("grasp"), scenes_root, count=1, first=draw, jobs=jobs, **chosen)
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    orders, clips = _orders(order, scenes, partial), list[MadeClip]()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=wait_for_orders) as pool:
        for number, made in enumerate(pool.map(make_prompt, orders), 1):
            clips += made
            progress(number, len(orders))
    _write_pack(partial / "prompts", scenes)
    for generator in GENERATORS:
        own = [clip for clip in clips if clip.generator == generator.slug]
        _write_set(partial / "sets" / generator.slug, generator, own, order, orders[0].length / order.fps)
    shutil.rmtree(out, ignore_errors=True)
    partial.rename(out)


def _orders(order: MadeOrder, scenes: Sequence[TwinScene], out: Path) -> list[PromptOrder]:
    keys = [scene.key for scene in scenes]
    broken = defaultdict(set)
    for made in GENERATORS:
        for key, take in broken_clips(made, keys, order.takes, order.seed):
            broken[key].add((made.slug, take))
    length = max(scene.length for scene in scenes) + LEADS
    return [PromptOrder(scene, order, length, frozenset(broken[scene.key]), out) for scene in scenes]


def _write_pack(folder: Path, scenes: Sequence[TwinScene]) -> None:
    folder.joinpath("benchmark.toml").write_text(TEXTS["definition"].format(slug=PACK, title=TITLE, version=VERSION))
    columns = ("id", "prompt", "laws", "first_frame", "reference")
    files = [(f"{FIRST_FRAMES}/{scene.key}.png", f"{REFERENCES}/{scene.key}.mp4") for scene in scenes]
    texts = [(scene.key, scene.text, "|".join(scene.laws)) for scene in scenes]
    _write_table(folder / "prompts.csv", columns, [(*text, *file) for text, file in zip(texts, files, strict=True)])


def _write_set(folder: Path, made: MadeGenerator, clips: Sequence[MadeClip], order: MadeOrder, seconds: float) -> None:
    facts = {"pack": PACK, "name": made.name, "role": made.role, "version": VERSION, "date": DATE}
    facts |= {"broken": str(sum(clip.truth.is_broken for clip in clips)), "count": str(len(clips))}
    size = {"fps": order.fps, "seconds": seconds, "width": order.width}
    height = order.width * order.size[1] // order.size[0]
    folder.joinpath("card.toml").write_text(TEXTS["card"].format(**facts, **size, height=height))
    seeds = [digest(order.seed, made.slug, clip.prompt, clip.take) % 10**6 for clip in clips]
    columns = ("prompt", "seed", "take", "file")
    named = zip(clips, seeds, strict=True)
    _write_table(folder / "manifest.csv", columns, [(clip.prompt, seed, clip.take, clip.file) for clip, seed in named])
    truths = [(clip.prompt, clip.take, *_cells(asdict(clip.truth).values())) for clip in clips]
    _write_table(folder / "truth.csv", ("prompt", "take", *asdict(clips[0].truth)), truths)


def _cells(values: Iterable[object]) -> list[object]:
    """0 or 1 for is_broken; empty where nothing breaks."""
    return [int(value) if isinstance(value, bool) else value or "" for value in values]


def _write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
