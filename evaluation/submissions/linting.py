"""Check a file of answers before anything is stored: every problem by line and item, coverage, a dry-run score."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from evaluation.submissions.checking import Checker, Coverage
from evaluation.submissions.headers import FIELDS, Target, merged, target_of
from evaluation.submissions.problems import Problem, Unreadable
from evaluation.submissions.reading import Upload, answers_in, read_upload
from evaluation.submissions.rows import Row
from evaluation.submissions.spooling import Spool

PROBLEMS = 10_000
SHOWN = 100


@dataclass
class LintReport:
    """What was found in a file. `rows` counts the good ones; every other row is in `problems`."""

    rows: int = 0
    problems: list[Problem] = field(default_factory=list)
    target: Target | None = None
    kind: str = ""  # "answer", "reply" or "prediction"
    seeds: tuple[int, ...] = ()
    coverage: list[Coverage] = field(default_factory=list)
    score: float | None = None
    scored: int = 0
    unread: int = 0

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def shown(self) -> list[Problem]:
        return self.problems[:SHOWN]

    @property
    def facts(self) -> dict[str, object]:
        """The report as commands and the API give it."""
        problems = [{"line": each.line, "item": each.item or None, "what": each.what} for each in self.problems]
        return {"ok": self.ok, "rows": self.rows, "score": self.score, "problems": problems}


def lint(file: IO[bytes], header: Mapping[str, str] | None = None, *, spool: Spool | None = None) -> LintReport:
    """Read the whole file and report; raises for nothing that a file can hold. Good answers go into the spool."""
    report = LintReport()
    try:
        upload = read_upload(file)
        report.target = target_of(header_of(upload, header), line=1 if upload.header else None)
        rows = answers_in(upload, report.target)
        names = upload.native.names(report.target) if upload.native else None
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


def header_of(upload: Upload, given: Mapping[str, str] | None) -> Mapping[str, Any]:
    """The header of the file and the given one as one; a benchmark's own result file never has one."""
    if upload.native and not given:
        wanted = ", ".join(FIELDS)
        raise Unreadable("header", f"the file is {upload.native.format.title}: name {wanted} in the fields beside it")
    return merged(upload.header, given)


def _problems(checker: Checker, rows: Iterator[Row | Problem], report: LintReport) -> Iterator[Problem]:
    """Every problem in the order of the lines, then what is missing; counts the good rows on the way."""
    try:
        for row in rows:
            problem = checker.check(row)
            report.rows += problem is None
            if problem:
                yield problem
    except Unreadable as stop:
        yield stop.problem
        return  # what the unread rest would have answered is not missing
    yield from checker.missing()


def _close(report: LintReport, checker: Checker) -> None:
    report.kind, report.seeds = checker.kind, tuple(sorted(checker.seeds))
    report.score, report.scored, report.unread = checker.score, checker.scored, checker.unread
    report.coverage = checker.coverage()
