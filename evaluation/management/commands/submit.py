import getpass
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from benchmarks.commands import CallerMistake, SiteCommand
from evaluation.models import Listing, Run
from evaluation.submissions.command_arguments import (
    add_file_and_header,
    check_arguments,
    header_in,
    opened,
    report_text,
)
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.lint.check import LintReport, lint
from evaluation.submissions.listing.lifecycle import list_run, propose
from evaluation.submissions.store.submit import SubmissionHasProblems, facts_of_stored, submit

PROBLEMS = "the file has problems; nothing was stored"


class Command(SiteCommand):
    help = (
        "Store a file of answers and list it on the board, as the site's owner may; with --as as a private run of that"
        " user; with --check only report every problem by line and item, and a dry-run score. Safe to run again: the"
        " same file gives the same run."
    )
    mistakes = (SubmissionRefused,)

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_and_header(parser)
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--as", dest="username", metavar="USER", help="the user who will own the run, not listed yet")
        what.add_argument("--check", action="store_true", help="store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            self._report(self._refuse_problems(options), options)
            return
        name = options["username"]
        user = User.objects.filter(username=name).first() if name else self._owner(options)
        if user is None:
            raise CallerMistake(
                f"--as {name}: there is no such user; without --as the file belongs to the site's owner"
            )
        run = self._stored(user, options)
        if not name and run.listing != Listing.LISTED:
            run = list_run(run=propose(run=run, by=user), by=user)
        self._say_what_was_stored(run, options)

    def _say_what_was_stored(self, run: Run, options: dict[str, Any]) -> None:
        facts = facts_of_stored(run)
        line = f"run {run.pk}: {facts['rows']:,} rows, {run.listing}, parsed by {facts['parser']}"
        if run.listing == Listing.LISTED:
            line += f"; its row comes to /leaderboard/{run.pack.benchmark}/ while the site runs (benchsite serve)"
        self.say(options, facts, "\n".join([*facts["notes"], line]))

    def _owner(self, options: dict[str, Any]) -> User:
        """The first account that may do everything; made if nobody has an account yet."""
        if owner := User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first():
            return owner
        if User.objects.exists():
            raise CallerMistake("no account owns this site: say by --as USER whose the file is")
        self._refuse_problems(options)  # before anything is stored
        owner = User.objects.create_superuser(getpass.getuser())  # without a password nobody can sign in
        how = f"`benchsite changepassword {owner.username}` sets its password"
        self.note(options, f"The site's first account, {owner.username}, was made: it owns the file; {how}.")
        return owner

    def _stored(self, user: User, options: dict[str, Any]) -> Run:
        try:
            with opened(options["file"]) as file:
                return submit(file=file, user=user, header=header_in(options))
        except SubmissionHasProblems as refusal:
            self._report(refusal.report, options)
            raise CommandError(PROBLEMS) from refusal

    def _refuse_problems(self, options: dict[str, Any]) -> LintReport:
        """The report on a good file; that on another is printed, and CommandError raised."""
        with opened(options["file"]) as file:
            report = lint(file, header_in(options))
        if not report.ok:
            self._report(report, options)
            raise CommandError(PROBLEMS)
        return report

    def _report(self, report: LintReport, options: dict[str, Any]) -> None:
        check_arguments(report)
        self.say(options, report.facts, report_text(report))
