"""Generates clips in several processes, and makes packs of them with progress shown on pages."""

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class ProductionOrder:
    """Everything that a process or a worker needs to make any clip of the production."""

    out: str
    names: list[str]
    size: list[int]
    first: int = 0
    count: int = DEFAULT_COUNT
    seed: int = 0
    profile: str = "corrected"
    fps: int = DEFAULT_FPS
    of_set: int = 0  # `count` of a set made as a whole, whose clips are `names`; 0 = scenes
    only: tuple[str, ...] = ()
    shares: str = ""
    is_long: bool = False
    look: str = LOOK

    @property
    def set_order(self) -> SetOrder:
        facts = {name: getattr(self, name) for name in ("only", "seed", "profile", "size", "fps", "shares", "look")}
        return order_of(count=self.of_set, **facts)

    @property
    def clips(self) -> int:
        return len(self.names) * self.count

    def options(self, benchmark: Benchmark) -> dict[str, Any]:
        """What `make_one` needs beside a clip's name, seed, number and folder."""
        if self.of_set:
            return {"maker": benchmark.generate_set, "order": self.set_order}
        looks = {"profile": self.profile, "fps": self.fps, "is_long": self.is_long, "look": self.look}
        return looks | {"size": (self.size[0], self.size[1])}


def order_for(
    benchmark: Benchmark, out: Path, *, only: Sequence[str] = (), size: Size = DEFAULT_SIZE, **chosen: Any
) -> ProductionOrder:
    """The order of `count` clips of each chosen scene, starting with number `first`; BenchmarkError if it is invalid.

    For a set made as a whole, `count` is in its maker's unit: videos per scene, pairs of objects. `chosen` are other
    facts of the order.
    """
    wanted = ProductionOrder(str(out), [], list(size), only=tuple(only), **chosen)
    if benchmark.generate_set:
        wanted = replace(wanted, of_set=wanted.count, count=1)
        return replace(wanted, names=keys_of_set(benchmark, wanted.set_order, first=wanted.first))
    if wanted.shares:
        raise BenchmarkError(f"{benchmark.slug} has no shares to draw: leave --shares out")
    if wanted.profile == "polygons":  # only CRAFT's circles have corners in the original
        raise BenchmarkError(f"{benchmark.slug} has no profile polygons: choose corrected or faithful")
    names = chosen_scenes(benchmark, only)
    check_format(wanted.count, size, wanted.fps, wanted.look)
    return replace(wanted, names=names)


def generate(
    benchmark: Benchmark, out: Path, *, jobs: int | None = None, progress: Progress | None = None, **chosen: Any
) -> GenerationReport:
    """Write the clips of the order with these facts (see `order_for`) in the official layout; existing ones stay.

    The label files of a set come last, since they depend on all clips.
    """
    order = order_for(benchmark, out, **chosen)
    options, numbers = order.options(benchmark), range(order.first, order.first + order.count)
    folders = [[name] for name in order.names] if order.of_set else tests_of(benchmark, order.names)
    clips = [[(name, order.seed, index, out, options) for name in group] for index in numbers for group in folders]
    made = list(_made(clips, jobs or os.cpu_count() or 1, progress))
    if order.of_set:
        maker_named(benchmark.generate_set).write_labels(order.set_order, out)
    return GenerationReport(len(made), sum(made))


def keys_of_set(benchmark: Benchmark, order: SetOrder, *, first: int = 0) -> list[str]:
    """Names of the clips in the set; raises BenchmarkError if the order is invalid."""
    if first:
        raise BenchmarkError(f"{benchmark.slug} is made whole: leave --index out")
    try:
        return maker_named(benchmark.generate_set).keys(order)
    except ValueError as error:
        raise BenchmarkError(str(error)) from None


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


def _made(batches: Sequence[Sequence[tuple[Any, ...]]], jobs: int, progress: Progress | None) -> Iterator[bool]:
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
                    if progress:
                        progress(done, total)
            unless_finished.pop_all()


def _stop(pool: ProcessPoolExecutor) -> None:
    """Terminate the pool's processes, which remove their unfinished files."""
    workers = list(pool._processes.values())
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()


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


def make_production(*, benchmark: str, pack_name: str, out: Path, jobs: int | None = None, **chosen: Any) -> Pack:
    """Generate and import a pack (see `order_for`), with its progress in the production's row. Can be repeated."""
    found = find_benchmark(benchmark)
    production, _ = Production.objects.get_or_create(benchmark=benchmark, pack_name=pack_name)
    show_production(production, state=ProductionState.MAKING, note="")
    with failures_recorded(production, comes_again=False):
        generate(found, out, jobs=jobs, progress=watched(production), **chosen)
        show_production(production, state=ProductionState.IMPORTING)
        pack = import_release(found, out, pack_name=pack_name).pack
    show_production(production, state=ProductionState.DONE)
    return pack
