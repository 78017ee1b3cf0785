"""Arguments of the commands on submissions: a file, and header fields for files without a header."""

from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake
from benchmarks.definitions.release_bounds import is_litter
from evaluation.submissions.files.archives import MEMBERS, UPLOAD_BYTES
from evaluation.submissions.files.rows import FIELDS, OPTIONAL
from evaluation.submissions.lint.check import MOST_LISTED, LintReport


def add_file_and_header(parser: CommandParser) -> None:
    """Add FILE and an option for each header field."""
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
    """Open the file, or a results folder as a .zip; raises CallerMistake if it can't be opened."""
    try:
        return packed(path) if path.is_dir() else path.open("rb")
    except OSError as error:
        place = f"{path}: files of this directory" if path.is_dir() else f"{path}"
        raise CallerMistake(f"{place}: {error.strerror}") from error


def packed(folder: Path) -> IO[bytes]:
    """A .zip of the folder's files; the same files give the same bytes, so that a second upload is recognised."""
    found = (
        path for path in folder.rglob("*") if path.is_file() and not is_litter(path.relative_to(folder).as_posix())
    )
    files = sorted(islice(found, MEMBERS + 1))
    if not files or len(files) > MEMBERS or sum(path.stat().st_size for path in files) > UPLOAD_BYTES:
        limits = f"1 to {MEMBERS} files and at most {UPLOAD_BYTES:,} bytes"
        raise CallerMistake(f"{folder}: a directory of results has {limits}, this one has not")
    archive = BytesIO()
    with ZipFile(archive, "w", ZIP_DEFLATED) as into:
        for path in files:
            into.writestr(ZipInfo(path.relative_to(folder).as_posix()), path.read_bytes(), ZIP_DEFLATED)
    return archive


def check_arguments(report: LintReport) -> None:
    """Raise CallerMistake if a header field on the command line is wrong, since that is no problem of the file."""
    if report.target is None and report.problems[0].code == "header" and report.problems[0].line is None:
        raise CallerMistake(report.problems[0].what)


def report_text(report: LintReport) -> str:
    """The report for a terminal: one line for each of the first hundred problems, then the totals."""
    lines = [str(problem) for problem in report.first_problems]
    if len(report.problems) > MOST_LISTED:
        lines.append(f"… and {len(report.problems) - MOST_LISTED:,} more (--json prints all)")
    score = (
        "not scored yet" if report.score is None else f"score {report.score:.1%} on {report.scored:,} public answers"
    )
    reader = f", parsed by {report.parser}" if report.parser else ""
    return "\n".join(
        [*lines, *report.notes, f"{report.rows:,} valid rows, {len(report.problems):,} problems, {score}{reader}"]
    )
