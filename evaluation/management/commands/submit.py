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
from evaluation.submissions.store.submit import SubmissionHasProblems, submit


class Command(SiteCommand):
    help = "Store a file of answers as a private run of a user. Safe to run again: the same file gives the same run."

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_and_header(parser)
        parser.add_argument(
            "--as", dest="username", required=True, metavar="USER", help="the user who will own the run"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CallerMistake(f"--as {options['username']}: there is no such user")
        try:
            with opened(options["file"]) as file:
                run = submit(file=file, user=user, header=header_in(options))
        except SubmissionHasProblems as refusal:
            check_arguments(refusal.report)
            self.say(options, refusal.report.facts, report_text(refusal.report))
            raise CommandError("the file has problems; nothing was stored") from refusal
        except SubmissionRefused as refusal:
            raise CallerMistake(str(refusal)) from refusal
        found = run.card["lint"]
        reader = f"{run.parser} {run.parser_version}"
        facts = {"ok": True, "rows": found["rows"], "score": found["score"], "parser": reader, "problems": []}
        line = f"run {run.pk}: {found['rows']:,} rows, {run.listing}, read by {reader}"
        self.say(options, facts | {"run": run.pk, "listing": run.listing}, line)
