"""What both commands on submissions take: a file, and header fields for files that have none."""

from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake
from evaluation.submissions.headers import FIELDS, OPTIONAL
from evaluation.submissions.linting import SHOWN, LintReport
from evaluation.submissions.opening import MEMBERS, UPLOAD_BYTES


def add_file_and_header(parser: CommandParser) -> None:
    """Add FILE and one option a header field."""
    parser.add_argument(
        "file",
        type=Path,
        help="JSON Lines or CSV, plain, .gz or .zip; or a result file or folder as the benchmark's own tools write it",
    )
    for name in (*FIELDS, *OPTIONAL):
        parser.add_argument(f"--{name}", help="header field, for a file without a header line")


def header_in(options: dict[str, Any]) -> dict[str, str]:
    """The header fields that were given."""
    return {name: options[name] for name in (*FIELDS, *OPTIONAL) if options[name] is not None}


def opened(path: Path) -> IO[bytes]:
    """The file, a results folder as a .zip of its files, or the caller's mistake in a sentence."""
    try:
        return packed(path) if path.is_dir() else path.open("rb")
    except OSError as error:
        raise CallerMistake(f"{path}: {error.strerror}") from error


def packed(folder: Path) -> IO[bytes]:
    """A .zip of the folder's files; the same files make the same bytes, so that sending them again is noticed."""
    files = sorted(islice((path for path in folder.rglob("*") if path.is_file()), MEMBERS + 1))
    if not files or len(files) > MEMBERS or sum(path.stat().st_size for path in files) > UPLOAD_BYTES:
        limits = f"1 to {MEMBERS} files and at most {UPLOAD_BYTES:,} bytes"
        raise CallerMistake(f"{folder}: a directory of results has {limits}, this one has not")
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as into:
        for path in files:
            into.writestr(ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes(), ZIP_DEFLATED)
    return archive


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
