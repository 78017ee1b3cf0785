import re
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.generation.distributed import MAKING, order_production
from benchmarks.generation.generate import DEFAULT_COUNT, count_for, default_format, generate, things_of
from benchmarks.generation.set_makers import ClipNotWritten
from benchmarks.leasing import queue_task
from benchmarks.progress_bar import progress_bar
from scenes.scene import LOOK, LOOKS

PROFILES = ("corrected", "faithful", "polygons")
INTERRUPTED = 130  # exit code after Ctrl-C
# Errors of a scene, the physics or the renderer, or a killed process: finished clips stay, and the next call continues.
NOT_FINISHED = (ClipNotWritten, ValueError, OSError, RuntimeError)


class Command(SiteCommand):
    help = "Make clips in the official layout. Safe to run again: finished clips are kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True)
        counted = f"clips per scene, pairs of objects, items per scenario (default {DEFAULT_COUNT})"
        parser.add_argument("--count", type=int, help=counted)
        parser.add_argument(
            "--videos", type=int, help="total number of clips, in place of --count: equally many per scene"
        )
        parser.add_argument("--index", type=int, help="make only this clip of each scene")
        parser.add_argument("--only", default="", help="scenes, tests or scenarios, separated by commas")
        parser.add_argument("--seed", type=int, default=0)
        polygons = "polygons: craft, faithful with circles of 128 corners (make polygons)"
        parser.add_argument("--profile", choices=PROFILES, default="corrected", help=polygons)
        looks = "grasp, tapped: classic, plain (hard shadows, one pass) or cinema by Filament (make cinema)"
        parser.add_argument("--look", choices=LOOKS, default=LOOK, help=looks)
        parser.add_argument("--full-length", dest="is_long", action="store_true", help="grasp: ten seconds each")
        parser.add_argument(
            "--shares", choices=("paper",), default="", help="craft: questions in the paper's proportions"
        )
        parser.add_argument("--jobs", type=int, help="processes (default: one per core)")
        parser.add_argument("--size", help="WIDTHxHEIGHT (default 640x480, tapped 640x360, craft and giraffe 256x256)")
        parser.add_argument("--fps", type=int, help="frames per second (default 50, craft 60, giraffe 1)")
        parser.add_argument("--queue", action="store_true", help="let a worker make the clips and import them")

    def handle(self, *, slug: str, out: Path, size: str | None, only: str, **options: Any) -> None:
        usual, frames = default_format(find_benchmark(slug))
        options["fps"] = frames if options["fps"] is None else options["fps"]
        wanted = _size(size) if size else usual
        try:
            self._make(slug, out.resolve(), wanted, [name for name in only.split(",") if name], options)
        except OSError as error:
            raise CallerMistake(str(error)) from None

    def _make(self, slug: str, out: Path, size: tuple[int, int], only: list[str], options: dict[str, Any]) -> None:
        if (options["jobs"] is not None and options["jobs"] < 1) or options["seed"] < 0:
            raise BenchmarkError("--jobs must be at least 1, and --seed at least 0")
        benchmark = find_benchmark(slug)
        names = ("seed", "profile", "fps", "shares", "is_long", "look")
        chosen = {name: options[name] for name in names} | _numbers(benchmark, only, options)
        if options["queue"]:
            self._queue(benchmark, out, options, only=only, size=size, **chosen)
            return
        things = things_of(benchmark)
        bar = progress_bar(sys.stderr, things.capitalize())
        try:
            report = generate(benchmark, out, size=size, only=only, progress=bar, jobs=options["jobs"], **chosen)
        except BenchmarkError:
            raise
        except KeyboardInterrupt:
            line = f"stopped: finished files are in {out}, and the same command continues from there"
            raise CommandError(line, returncode=INTERRUPTED) from None
        except NOT_FINISHED as error:
            raise CommandError(f"not finished: {error}") from error
        line = f"{report.clips - report.kept} {things} made, {report.kept} already there, in {out}"
        self.say(options, {"benchmark": slug, "clips": report.clips, "kept": report.kept, "out": str(out)}, line)

    def _queue(self, benchmark: Benchmark, out: Path, options: dict[str, Any], **chosen: Any) -> None:
        batches = order_production(benchmark, pack_name=out.name, out=out, **chosen)
        for batch in batches:
            queue_task(MAKING, batch)
        line = f"Queued: pack {out.name}, in {len(batches)} batches"
        self.say(options, {"queued": out.name, "batches": len(batches)}, line)


def _numbers(benchmark: Benchmark, only: list[str], options: dict[str, Any]) -> dict[str, int]:
    """The first number of each scene and the count, from --count, --videos or --index."""
    count, videos, index = options["count"], options["videos"], options["index"]
    if videos is not None:
        if count is not None or index is not None:
            raise BenchmarkError("--videos says how many in total: leave --count and --index out")
        return {"first": 0, "count": count_for(benchmark, videos, only)}
    if index is None:
        return {"first": 0, "count": DEFAULT_COUNT if count is None else count}
    if count is not None:
        raise BenchmarkError("--index makes one clip of each scene: leave --count out")
    if index < 0:
        raise BenchmarkError(f"--index {index}: must be at least 0")
    return {"first": index, "count": 1}


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if not match:
        raise BenchmarkError(f"--size {text!r}: write WIDTHxHEIGHT, for instance 320x240")
    return int(match[1]), int(match[2])
