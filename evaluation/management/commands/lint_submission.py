from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import SiteCommand
from evaluation.submissions.command_arguments import (
    add_file_and_header,
    check_arguments,
    header_in,
    opened,
    report_text,
)
from evaluation.submissions.lint.check import lint


class Command(SiteCommand):
    help = "Check a file of answers: every problem by line and item, a dry-run score. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_and_header(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with opened(options["file"]) as file:
            report = lint(file, header_in(options))
        check_arguments(report)
        self.say(options, report.facts, report_text(report))
        if not report.ok:
            raise CommandError("the file has problems")
