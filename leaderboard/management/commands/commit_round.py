"""`manage.py commit_round SLUG`."""

from datetime import date as Date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.generation.generate import DEFAULT_COUNT, default_format
from benchmarks.packs.lookup import find_pack
from leaderboard.rounds.commitment import commit, read_seed


class Command(SiteCommand):
    help = "Commit to a seed for a round of fresh clips: prints the hash to publish. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--seed-file", type=Path, required=True, help="a line of 32 or more hexadecimal digits")
        parser.add_argument("--date", required=True, help="date of the clips, such as 2027-01-31")
        parser.add_argument("--pack", help="the public pack that the fresh clips are compared with")
        parser.add_argument("--count", type=int, default=DEFAULT_COUNT)
        parser.add_argument("--only", default="", help="scenes, separated by commas")
        parser.add_argument("--width", type=int)
        parser.add_argument("--height", type=int)
        parser.add_argument("--fps", type=int)

    def handle(self, *, slug: str, seed_file: Path, date: str, **options: Any) -> None:
        try:
            benchmark = find_benchmark(slug)
            only = [name for name in options["only"].split(",") if name]
            chosen = {"count": options["count"], "only": only} | _format(benchmark, options)
            found = commit(
                seed=read_seed(seed_file),
                public=find_pack(benchmark.slug, options["pack"]),
                date=_day(date),
                chosen=chosen | {"profile": "corrected"},
            )
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        facts = {"round": found.pk, "commitment": found.commitment, "definition": found.definition}
        self.say(options, facts, f"Round {found.pk} on {found.date}: publish {found.commitment}")


def _format(benchmark: Benchmark, options: dict[str, Any]) -> dict[str, Any]:
    """The requested size and frame rate, else those of the benchmark's clips."""
    (width, height), fps = default_format(benchmark)
    wanted = {name: options[name] for name in ("width", "height", "fps") if options[name] is not None}
    found = {"width": width, "height": height, "fps": fps} | wanted
    return {"size": [found["width"], found["height"]], "fps": found["fps"]}


def _day(text: str) -> Date:
    try:
        return Date.fromisoformat(text)
    except ValueError:
        raise CallerMistake(f"--date {text[:20]!r}: write a date as 2027-01-31") from None
