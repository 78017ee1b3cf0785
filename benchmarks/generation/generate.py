"""Generates clips in several processes, and makes packs of them with progress shown on pages."""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError, UnknownScene
from benchmarks.generation.progress import Progress, failures_recorded, show_production, watched
from benchmarks.generation.set_makers import SetOrder, Size, make_in_worker, maker_named, order_of, wait_for_orders
from benchmarks.models import Pack, Production, ProductionState
from benchmarks.packs.import_release import import_release
from scenes.scene import LOOK

DEFAULT_COUNT = 128  # clips per scene, as in the official release
DEFAULT_SIZE: Size = (640, 480)
DEFAULT_FPS = 50


@dataclass(frozen=True)
class GenerationReport:
    """The number of finished clips, and how many of them existed before."""

    clips: int
    kept: int


def generate(
    benchmark: Benchmark,
    out: Path,
    *,
    count: int = DEFAULT_COUNT,
    first: int = 0,
    only: Sequence[str] = (),
    seed: int = 0,
    profile: str = "corrected",
    jobs: int | None = None,
    size: Size = DEFAULT_SIZE,
    fps: int = DEFAULT_FPS,
    shares: str = "",
    is_long: bool = False,
    look: str = LOOK,
    progress: Progress | None = None,
) -> GenerationReport:
    """Write `count` clips of each chosen scene, starting with number `first`, in the official layout; existing ones
    stay.

    For a set made as a whole, `count` is in its maker's unit: videos per scene, pairs of objects.
    """
    if benchmark.generate_set:
        facts = {"profile": profile, "shares": shares, "look": look}
        order = order_of(count=count, only=only, seed=seed, size=size, fps=fps, **facts)
        return _generate_set(benchmark, out, order, first=first, jobs=jobs, progress=progress)
    refuse_shares(benchmark, shares)
    refuse_polygons(benchmark, profile)
    names = chosen_scenes(benchmark, only)
    check_format(count, size, fps, look)
    options = {"profile": profile, "size": size, "fps": fps, "is_long": is_long, "look": look}
    tests, numbers = tests_of(benchmark, names), range(first, first + count)
    clips = [[(name, seed, index, out, options) for name in folders] for index in numbers for folders in tests]
    made = list(_made(clips, jobs or os.cpu_count() or 1, progress or _unwatched))
    return GenerationReport(len(made), sum(made))


def _generate_set(
    benchmark: Benchmark, out: Path, order: SetOrder, *, first: int, jobs: int | None, progress: Progress | None
) -> GenerationReport:
    """Make every clip of the set, then its label files, which depend on all clips."""
    options = {"maker": benchmark.generate_set, "order": order}
    batches = [[(key, order.seed, 0, out, options)] for key in keys_of_set(benchmark, order, first=first)]
    reused = sum(_made(batches, jobs or os.cpu_count() or 1, progress or _unwatched))
    write_labels_of_set(benchmark, order, out)
    return GenerationReport(len(batches), reused)


def keys_of_set(benchmark: Benchmark, order: SetOrder, *, first: int = 0) -> list[str]:
    """Names of the clips in the set; raises BenchmarkError if the order is invalid."""
    if first:
        raise BenchmarkError(f"{benchmark.slug} is made whole: leave --index out")
    try:
        return maker_named(benchmark.generate_set).keys(order)
    except ValueError as error:
        raise BenchmarkError(str(error)) from None


def write_labels_of_set(benchmark: Benchmark, order: SetOrder, out: Path) -> None:
    """Write the label files of a set whose clips are all finished."""
    maker_named(benchmark.generate_set).write_labels(order, out)


def count_for(benchmark: Benchmark, videos: int, only: Sequence[str]) -> int:
    """The count per chosen scene that gives this total of videos; raises BenchmarkError if there is none."""
    if not benchmark.generate_set:
        scenes = len(chosen_scenes(benchmark, only))
    elif (maker := maker_named(benchmark.generate_set)).has_scenes:
        size, fps = default_format(benchmark)
        one = order_of(count=1, only=only, seed=0, profile="corrected", size=size, fps=fps)
        scenes = len(keys_of_set(benchmark, one))
    else:
        raise BenchmarkError(f"{benchmark.slug} makes {maker.things} by --count, as its documentation says")
    if videos < scenes or videos % scenes:
        below = max(1, videos // scenes) * scenes
        raise BenchmarkError(f"--videos {videos}: as many of each of {scenes} scenes are {below} or {below + scenes}")
    return videos // scenes


def things_of(benchmark: Benchmark) -> str:
    """The plural noun for the generated things, such as "clips"."""
    return maker_named(benchmark.generate_set).things if benchmark.generate_set else "clips"


def default_format(benchmark: Benchmark) -> tuple[Size, int]:
    """Default size and frame rate of the benchmark's clips."""
    if not benchmark.generate_set:
        return DEFAULT_SIZE, DEFAULT_FPS
    maker = maker_named(benchmark.generate_set)
    return maker.size, maker.fps


def _made(batches: Sequence[Sequence[tuple[Any, ...]]], jobs: int, progress: Progress) -> Iterator[bool]:
    """Make every clip, each group in one process; as clips finish, yield whether each existed already."""
    total = sum(map(len, batches))
    # Spawned processes, because the state of OpenGL and the physics engine survives neither threads nor a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=wait_for_orders) as pool:
        groups = [pool.submit(make_in_worker, group) for group in batches]
        done = 0
        with ExitStack() as unless_finished:
            unless_finished.callback(_stop, pool)
            for group in as_completed(groups):
                for was_reused in group.result():
                    yield was_reused
                    done += 1
                    progress(done, total)
            unless_finished.pop_all()


def _stop(pool: ProcessPoolExecutor) -> None:
    """Terminate the pool's processes, which remove their unfinished files."""
    workers = list(pool._processes.values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()


def _unwatched(done: int, total: int) -> None:
    """Progress callback that does nothing."""


def chosen_scenes(benchmark: Benchmark, only: Sequence[str]) -> list[str]:
    """Folder names of the scenes chosen by folder or test; all scenes if `only` is empty."""
    if not benchmark.generate:
        raise BenchmarkError(f"clips of {benchmark.slug} can't be made here")
    scenes: Mapping[str, Any] = import_string(benchmark.generate)
    for name in only:
        if name not in scenes and not any(name == scene.test for scene in scenes.values()):
            known = sorted({scene.test for scene in scenes.values()})
            raise UnknownScene(f"no scene or test {name!r} can be made; tests: {', '.join(known)}")
    return [folder for folder, scene in scenes.items() if not only or folder in only or scene.test in only]


def tests_of(benchmark: Benchmark, folders: Sequence[str]) -> list[list[str]]:
    """The folders grouped by test: clips of one index check each other's draws, which is cheaper in one process."""
    scenes: Mapping[str, Any] = import_string(benchmark.generate)
    found: dict[str, list[str]] = {}
    for folder in folders:
        found.setdefault(scenes[folder].test, []).append(folder)
    return list(found.values())


def refuse_shares(benchmark: Benchmark, shares: str) -> None:
    """Raise BenchmarkError: clips made scene by scene have no questions to draw."""
    if shares:
        raise BenchmarkError(f"{benchmark.slug} has no shares to draw: leave --shares out")


def refuse_polygons(benchmark: Benchmark, profile: str) -> None:
    """Raise BenchmarkError: only CRAFT's circles have corners in the original."""
    if profile == "polygons":
        raise BenchmarkError(f"{benchmark.slug} has no profile polygons: choose corrected or faithful")


def check_format(count: int, size: Size, fps: int, look: str = LOOK) -> None:
    """Raise BenchmarkError if count, size or frame rate is invalid, or the look can't be rendered on this machine."""
    if count < 1:
        raise BenchmarkError(f"count {count}: must be at least 1")
    from scenes.rendering.video import states_a_frame  # opens the physics engine

    try:
        states_a_frame(size, fps)
        if look == "cinema":
            from scenes.rendering.cinema import check_cinema

            check_cinema()
    except ValueError as error:
        raise BenchmarkError(str(error)) from None


def make_production(
    *,
    benchmark: str,
    pack_name: str,
    out: Path,
    count: int,
    seed: int,
    size: Size = DEFAULT_SIZE,
    fps: int = DEFAULT_FPS,
    profile: str = "corrected",
    only: Sequence[str] = (),
    jobs: int | None = None,
    look: str = LOOK,
) -> Pack:
    """Generate and import a pack, with its progress in the production's row. Can be repeated at any time."""
    found = find_benchmark(benchmark)
    production, _ = Production.objects.get_or_create(benchmark=benchmark, pack_name=pack_name)
    chosen: dict[str, Any] = {
        "count": count,
        "only": only,
        "seed": seed,
        "profile": profile,
        "jobs": jobs,
        "look": look,
    }
    show_production(production, state=ProductionState.MAKING, note="")
    with failures_recorded(production, comes_again=False):
        generate(found, out, size=size, fps=fps, progress=watched(production), **chosen)
        show_production(production, state=ProductionState.IMPORTING)
        pack = import_release(found, out, pack_name=pack_name).pack
    show_production(production, state=ProductionState.DONE)
    return pack
