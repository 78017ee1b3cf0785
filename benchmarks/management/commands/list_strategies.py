from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import UnknownBenchmark


class Command(SiteCommand):
    help = "List a benchmark's prompting strategies: name, title, the paper's term. Changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")

    def handle(self, *, slug: str, **options: Any) -> None:
        try:
            strategies = find_benchmark(slug).strategies
        except UnknownBenchmark as error:
            raise CallerMistake(str(error)) from None
        lines = (
            f"{strategy.name}: {strategy.title} ({strategy.paper}{', wording ours' if strategy.ours else ''})"
            f", condition {strategy.condition}, splits {', '.join(strategy.splits)}"
            for strategy in strategies
        )
        self.say(options, {"strategies": [asdict(strategy) for strategy in strategies]}, "\n".join(lines))
