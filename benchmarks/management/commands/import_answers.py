from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.packs.withheld_answers import import_answers


class Command(SiteCommand):
    help = "Load withheld answers, which are used for scoring and never served. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path, help="JSON Lines or CSV of (item, answer), or a label file of PACS")

    def handle(self, *, slug: str, file: Path, **options: Any) -> None:
        try:
            benchmark = find_benchmark(slug)
            loaded = import_answers(benchmark, file)
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        line = (
            f"{benchmark.title}: {loaded.items} answers loaded, {loaded.known} were known, {loaded.waiting} are missing"
        )
        facts = {"benchmark": slug, "loaded": loaded.items, "known": loaded.known, "waiting": loaded.waiting}
        self.say(options, facts, line)
