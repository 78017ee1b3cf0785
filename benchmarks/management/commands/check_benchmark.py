from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.errors import BenchmarkError
from benchmarks.packs.benchmark_files import NAME, read_file
from benchmarks.packs.folder_check import report_on


class Command(SiteCommand):
    help = "Check a folder with a benchmark.toml: mistakes, and whatever would reveal its answers. Only reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *, folder: Path, **options: Any) -> None:
        try:
            found = report_on(read_file(folder / NAME), folder)
        except BadDefinition as error:
            mistakes = [vars(one) | {"file": error.file} for one in error.mistakes]
            for mistake in error.mistakes:
                self.note(options, f"{error.file}, {mistake}")
            if options["as_json"]:
                self.say(options, {"error": str(error), "exit": 2, "mistakes": mistakes}, "")
            raise CallerMistake(str(error)) from None
        except (BenchmarkError, OSError) as error:
            raise CallerMistake(str(error)) from None
        facts = {
            "benchmark": found.benchmark.slug,
            "clips": len(found.release.clips),
            "items": len(found.release.rows),
            "preview": found.lines,
            "gaps": [{"where": where, "what": what} for where, what in found.release.gaps],
            "findings": [{"where": where, "what": what} for where, what in found.findings],
        }
        lines = [*found.lines, *(f"{where}: {what}" for where, what in (*found.release.gaps, *found.findings))]
        self.say(options, facts, "\n".join([*lines, f"{len(found.findings)} findings"]))
        if found.findings:
            raise SystemExit(1)
