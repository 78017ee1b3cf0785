from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from benchmarks.commands import CallerMistake, SiteCommand
from evaluation.submissions.command_arguments import (
    add_file_and_header,
    check_arguments,
    header_in,
    opened,
    report_text,
)
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.lint.check import LintReport, lint
from evaluation.submissions.store.submit import SubmissionHasProblems, submit


class Command(SiteCommand):
    help = (
        "Store a file of answers as a private run of a user; with --check only report every problem by line and item,"
        " and a dry-run score. Safe to run again: the same file gives the same run."
    )
    mistakes = (SubmissionRefused,)

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_and_header(parser)
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--as", dest="username", metavar="USER", help="the user who will own the run")
        what.add_argument("--check", action="store_true", help="store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            with opened(options["file"]) as file:
                report = lint(file, header_in(options))
            self._report(report, options)
            if not report.ok:
                raise CommandError("the file has problems")
            return
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CallerMistake(f"--as {options['username']}: there is no such user")
        self._store(user, options)

    def _store(self, user: User, options: dict[str, Any]) -> None:
        try:
            with opened(options["file"]) as file:
                run = submit(file=file, user=user, header=header_in(options))
        except SubmissionHasProblems as refusal:
            self._report(refusal.report, options)
            raise CommandError("the file has problems; nothing was stored") from refusal
        found = run.card["lint"]
        reader = f"{run.parser} {run.parser_version}"
        facts = {"ok": True, "rows": found["rows"], "score": found["score"], "parser": reader, "problems": []}
        line = f"run {run.pk}: {found['rows']:,} rows, {run.listing}, read by {reader}"
        self.say(options, facts | {"run": run.pk, "listing": run.listing}, line)

    def _report(self, report: LintReport, options: dict[str, Any]) -> None:
        check_arguments(report)
        self.say(options, report.facts, report_text(report))
