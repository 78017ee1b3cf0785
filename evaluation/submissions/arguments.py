"""What both commands on submissions take: a file, and header fields for files that have none."""

from pathlib import Path
from typing import IO, Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake
from evaluation.submissions.headers import FIELDS, OPTIONAL
from evaluation.submissions.linting import SHOWN, LintReport


def add_file_and_header(parser: CommandParser) -> None:
    """Add FILE and one option a header field."""
    parser.add_argument("file", type=Path, help="JSON Lines or CSV, plain, .gz or .zip")
    for name in (*FIELDS, *OPTIONAL):
        parser.add_argument(f"--{name}", help="header field, for a file without a header line")


def header_in(options: dict[str, Any]) -> dict[str, str]:
    """The header fields that were given."""
    return {name: options[name] for name in (*FIELDS, *OPTIONAL) if options[name] is not None}


def opened(path: Path) -> IO[bytes]:
    """The file, or the caller's mistake in a sentence."""
    try:
        return path.open("rb")
    except OSError as error:
        raise CallerMistake(f"{path}: {error.strerror}") from error


def check_given(report: LintReport) -> None:
    """A wrong header field on the command line is the caller's mistake, not the file's."""
    if report.target is None and report.problems[0].code == "header" and report.problems[0].line is None:
        raise CallerMistake(report.problems[0].what)


def in_words(report: LintReport) -> str:
    """The report for a terminal: one line a problem, the first hundred of them."""
    lines = [str(problem) for problem in report.shown]
    if len(report.problems) > SHOWN:
        lines.append(f"… and {len(report.problems) - SHOWN:,} more (--json prints all)")
    score = (
        "not scored yet" if report.score is None else f"score {report.score:.1%} on {report.scored:,} public answers"
    )
    return "\n".join([*lines, f"{report.rows:,} good rows, {len(report.problems):,} problems, {score}"])
