"""Making clips over several processes, and making a pack of them that pages can watch arriving."""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string

from benchmarks.clip_making import make_in_worker, wait_for_orders
from benchmarks.definition import Benchmark
from benchmarks.errors import BenchmarkError, UnknownScene
from benchmarks.items import import_release
from benchmarks.models import Pack, Production, ProductionState
from benchmarks.productions import Progress, failures_shown, show_production, watched
from benchmarks.registry import find_benchmark
from benchmarks.set_making import SetOrder, Size, maker_named, order_of

DEFAULT_COUNT = 128  # clips a scene, as in the official release
DEFAULT_SIZE: Size = (640, 480)
DEFAULT_FPS = 50


@dataclass(frozen=True)
class GenerationReport:
    """How many clips stand, and how many of them stood already."""

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
    progress: Progress | None = None,
) -> GenerationReport:
    """Write `count` clips of each chosen scene, from number `first` on, in the official layout; keep what stands.

    Of a set that is made whole, as much as its maker counts: videos a scene, pairs of objects.
    """
    if benchmark.generate_set:
        order = order_of(count=count, only=only, seed=seed, profile=profile, size=size, fps=fps)
        return _generate_set(benchmark, out, order, first=first, jobs=jobs, progress=progress)
    names = chosen_scenes(benchmark, only)
    check_format(count, size, fps)
    options = {"profile": profile, "size": size, "fps": fps}
    tests = tests_of(benchmark, names)
    asked = [
        [(name, seed, index, out, options) for name in folders]
        for index in range(first, first + count)
        for folders in tests
    ]
    made = list(_made(asked, jobs or os.cpu_count() or 1, progress or _unwatched))
    return GenerationReport(len(made), sum(made))


def _generate_set(
    benchmark: Benchmark, out: Path, order: SetOrder, *, first: int, jobs: int | None, progress: Progress | None
) -> GenerationReport:
    """Make every clip of the set, then the label files: they stand when all clips do."""
    options = {"maker": benchmark.generate_set, "order": order}
    asked = [[(key, order.seed, 0, out, options)] for key in keys_of_set(benchmark, order, first=first)]
    kept = sum(_made(asked, jobs or os.cpu_count() or 1, progress or _unwatched))
    write_labels_of_set(benchmark, order, out)
    return GenerationReport(len(asked), kept)


def keys_of_set(benchmark: Benchmark, order: SetOrder, *, first: int = 0) -> list[str]:
    """Names of the clips that are needed; says what is wrong with the order before anything is made."""
    if first:
        raise BenchmarkError(f"{benchmark.slug} is made whole: leave --index out")
    try:
        return maker_named(benchmark.generate_set).keys(order)
    except ValueError as error:
        raise BenchmarkError(str(error)) from None


def write_labels_of_set(benchmark: Benchmark, order: SetOrder, out: Path) -> None:
    """Write the label files of a set whose clips all stand."""
    maker_named(benchmark.generate_set).write_labels(order, out)


def things_of(benchmark: Benchmark) -> str:
    """What is counted of that which is made of this benchmark."""
    return maker_named(benchmark.generate_set).things if benchmark.generate_set else "clips"


def default_format(benchmark: Benchmark) -> tuple[Size, int]:
    """Size and frames a second of what is made of this benchmark unless others are asked for."""
    if not benchmark.generate_set:
        return DEFAULT_SIZE, DEFAULT_FPS
    maker = maker_named(benchmark.generate_set)
    return maker.size, maker.fps


def _made(asked: Sequence[Sequence[tuple[Any, ...]]], jobs: int, progress: Progress) -> Iterator[bool]:
    """Make every clip, those of a group in one process; yields whether it stood already, in the order of being done."""
    total = sum(map(len, asked))
    # A process of its own each: OpenGL and the physics engine hold state that neither threads nor a fork survive.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=wait_for_orders) as pool:
        groups = [pool.submit(make_in_worker, group) for group in asked]
        done = 0
        with ExitStack() as unless_finished:
            unless_finished.callback(_stop, pool)
            for group in as_completed(groups):
                for was_kept in group.result():
                    yield was_kept
                    done += 1
                    progress(done, total)
            unless_finished.pop_all()


def _stop(pool: ProcessPoolExecutor) -> None:
    """Nobody waits for what is being made: its processes take their unfinished files along."""
    workers = list(pool._processes.values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()


def _unwatched(done: int, total: int) -> None:
    """Nobody looks."""


def chosen_scenes(benchmark: Benchmark, only: Sequence[str]) -> list[str]:
    """Folder names of the scenes asked for, by folder or by test; all that can be made when none is named."""
    if not benchmark.generate:
        raise BenchmarkError(f"clips of {benchmark.slug} can't be made here")
    scenes: Mapping[str, Any] = import_string(benchmark.generate)
    for name in only:
        if name not in scenes and not any(name == scene.test for scene in scenes.values()):
            known = sorted({scene.test for scene in scenes.values()})
            raise UnknownScene(f"no scene or test {name!r} can be made; tests: {', '.join(known)}")
    return [folder for folder, scene in scenes.items() if not only or folder in only or scene.test in only]


def tests_of(benchmark: Benchmark, folders: Sequence[str]) -> list[list[str]]:
    """The folders test by test: clips of one number judge each other's draws, which is cheaper in one process."""
    scenes: Mapping[str, Any] = import_string(benchmark.generate)
    found: dict[str, list[str]] = {}
    for folder in folders:
        found.setdefault(scenes[folder].test, []).append(folder)
    return list(found.values())


def check_format(count: int, size: Size, fps: int) -> None:
    """Say what is wrong before anything starts."""
    if count < 1:
        raise BenchmarkError(f"count {count}: must be at least 1")
    from scenes.rendering.video import states_a_frame  # opens the physics engine

    try:
        states_a_frame(size, fps)
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
) -> Pack:
    """Generate and import a pack while its row tells pages how far it is. Can be run again at any time."""
    found = find_benchmark(benchmark)
    production, _ = Production.objects.get_or_create(benchmark=benchmark, pack_name=pack_name)
    chosen: dict[str, Any] = {"count": count, "only": only, "seed": seed, "profile": profile, "jobs": jobs}
    show_production(production, state=ProductionState.MAKING, note="")
    with failures_shown(production, comes_again=False):
        generate(found, out, size=size, fps=fps, progress=watched(production), **chosen)
        show_production(production, state=ProductionState.IMPORTING)
        pack = import_release(found, out, pack_name=pack_name).pack
    show_production(production, state=ProductionState.DONE)
    return pack
