"""Lints a file of answers before it is stored: problems by line and item, coverage, a dry-run score."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from evaluation.submissions.files.header import FIELDS, Target, merged, target_of
from evaluation.submissions.files.parse_upload import ParsedUpload, answers_in, read_upload
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow
from evaluation.submissions.lint.item_checks import Checker, FacetCoverage
from evaluation.submissions.lint.spool import Spool

PROBLEMS = 10_000
MOST_LISTED = 100


@dataclass
class LintReport:
    """The findings on a file; `rows` counts the good rows, `problems` has the others."""

    rows: int = 0
    problems: list[Problem] = field(default_factory=list)
    target: Target | None = None
    kind: str = ""  # "answer", "reply" or "prediction"
    parser: str = ""  # "grasp-paper 2"; '' = no row was read
    seeds: tuple[int, ...] = ()
    coverage: list[FacetCoverage] = field(default_factory=list)
    score: float | None = None
    scored: int = 0
    unread: int = 0
    notes: list[str] = field(default_factory=list)  # what was chosen among the file's answers

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def first_problems(self) -> list[Problem]:
        return self.problems[:MOST_LISTED]

    @property
    def facts(self) -> dict[str, object]:
        """The report as commands and the API return it."""
        problems = [{"line": each.line, "item": each.item or None, "what": each.what} for each in self.problems]
        found = {"ok": self.ok, "rows": self.rows, "score": self.score, "parser": self.parser}
        return found | {"notes": self.notes, "problems": problems}


def lint(file: IO[bytes], header: Mapping[str, str] | None = None, *, spool: Spool | None = None) -> LintReport:
    """Read the whole file, report on it, and put good answers into the spool; no content of a file raises."""
    report = LintReport()
    try:
        upload = read_upload(file)
        report.target = target_of(header_of(upload, header), line=1 if upload.header else None)
        rows = answers_in(upload, report.target)
        names = upload.native.names(report.target) if upload.native else None
        report.notes = upload.native.notes if upload.native else []
    except Unreadable as stop:
        report.problems.append(stop.problem)
        return report
    checker = Checker(report.target, names, spool)
    for problem in _problems(checker, rows, report):
        if len(report.problems) == PROBLEMS:
            report.problems.append(Problem("too-many", f"reading stopped after {PROBLEMS:,} problems"))
            break
        report.problems.append(problem)
    _close(report, checker)
    return report


def header_of(upload: ParsedUpload, typed: Mapping[str, str] | None) -> Mapping[str, Any]:
    """The file's header merged with the given one; a benchmark's own result file needs a given header."""
    if upload.native and not typed:
        wanted = ", ".join(FIELDS)
        raise Unreadable("header", f"the file is {upload.native.format.title}: name {wanted} in the fields beside it")
    return merged(upload.header, typed)


def _problems(checker: Checker, rows: Iterator[AnswerRow | Problem], report: LintReport) -> Iterator[Problem]:
    """Yield the problems in the order of the lines, then the missing answers; count the good rows."""
    try:
        for row in rows:
            problem = checker.check(row)
            report.rows += problem is None
            if problem:
                yield problem
    except Unreadable as stop:
        yield stop.problem
        return  # the missing answers may be in the unread rest
    yield from checker.missing()


def _close(report: LintReport, checker: Checker) -> None:
    report.kind, report.seeds = checker.kind, tuple(sorted(checker.seeds))
    report.parser = f"{checker.parser.name} {checker.parser.version}" if checker.parser else ""
    report.score, report.scored, report.unread = checker.score, checker.scored, checker.unread
    report.coverage = checker.coverage()
