from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import SiteCommand
from humantrials.running.lifecycle import find_trial
from humantrials.running.verification import verify


class Command(SiteCommand):
    help = "Draw the design again and check every invariant; exit 1 if one fails. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")

    def handle(self, *, slug: str, **options: Any) -> None:
        report = verify(find_trial(slug))
        line = "{sheets} sheets, {filled} of {slots} slots filled, {counted} counted, {surplus} surplus".format(
            **report.facts
        )
        invariants = [asdict(invariant) for invariant in report.invariants]
        checks = f"design checks: {report.passed} of {len(invariants)} pass"
        for one in report.invariants:
            self.note(options, f"{'pass' if one.holds else 'FAIL'} {one.name}: {one.about}")
        self.say(options, report.facts | {"promises": invariants}, f"{line}; {checks}")
        if report.broken:
            raise CommandError("failed: " + ", ".join(one.name for one in report.broken))
