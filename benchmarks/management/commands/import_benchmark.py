import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from benchmarks.items import import_release
from benchmarks.progress_bar import progress_bar
from benchmarks.registry import find_benchmark


class Command(SiteCommand):
    help = "Import a release in its official layout. Safe to run again: the same content changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("folder", type=Path)
        parser.add_argument("--pack", help="name of the pack (default: official, or the profile of made clips)")
        parser.add_argument("--split", help="import the items of this split alone")

    def handle(self, *, slug: str, folder: Path, **options: Any) -> None:
        try:
            benchmark = find_benchmark(slug)
            report = import_release(
                benchmark,
                folder,
                pack_name=options["pack"],
                split=options["split"],
                progress=progress_bar(sys.stderr, "Clips"),
            )
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        for where, what in report.problems:
            self.note(options, f"{where}: {what}")
        facts = {
            "benchmark": slug,
            "pack": report.pack.name,
            "version": report.pack.definition_version,
            "clips": report.clips,
            "items": report.items,
            "problems": [{"where": where, "what": what} for where, what in report.problems],
            "is_new": report.is_new,
        }
        stood = "" if report.is_new else ", which stood already"
        held = f"{report.clips} clips, {report.items} items"
        line = f"{benchmark.title} {benchmark.version}: pack {report.pack.name} of {held}{stood}"
        self.say(options, facts, line)
