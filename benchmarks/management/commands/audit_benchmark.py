from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.packs.audit import audit_release


class Command(SiteCommand):
    help = "Derive every label again from the stored trajectories; exit 1 if one differs. Changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("folder", type=Path)

    def handle(self, *, slug: str, folder: Path, **options: Any) -> None:
        try:
            report = audit_release(find_benchmark(slug), folder)
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        for clip, what in report.findings:
            self.note(options, f"{clip}: {what}")
        findings = [{"clip": clip, "what": what} for clip, what in report.findings]
        line = f"{report.clips} clips, {len(findings)} findings"
        self.say(options, {"clips": report.clips, "findings": findings}, line)
        if findings:
            raise CommandError(f"{len(findings)} findings in {report.clips} clips")
