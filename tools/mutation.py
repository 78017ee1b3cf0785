"""`python -m tools.mutation`: can the tests fail? Changes one place of the code at a time, and runs the tests near it.

The places are drawn from each area by a seed, and changed in a copy of the tree. First come the tests that name the
module or lie in the folder of its name, then, for what they don't notice, all tests of the app. What was noticed is
stored in var/, so that a later call continues. A test that runs out of time notices nothing: the machine may be busy.
With `DATABASE_URL`, locks and transactions are tried on that server.
"""

import argparse
import ast
import hashlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTICED = ROOT / "var" / "mutation.txt"
ALONE = "not (browser or render or worker or nginx or redis)"
LIMIT = 300  # seconds of tests for a change; a test that hangs fails earlier
LEAST = 0.85  # of the changes of each area must be noticed
AREAS = {
    "measures": "measures/**/*.py",
    "parsing": "evaluation/parsing/*.py",
    "submissions": "evaluation/submissions/**/*.py",
    "openai": "evaluation/adapters/openai/*.py",
    "queue": "evaluation/queue/*.py",
    "recording": "evaluation/workers/*.py",
    "board": "leaderboard/board/**/*.py",
    "standings": "leaderboard/standings/*.py",
    "studies": "humantrials/*ing/*.py",
    "assignment": "humantrials/assignment/*.py",
    "results": "humantrials/results/*.py",
    "accounts": "accounts/**/*.py",
    "packs": "benchmarks/packs/**/*.py",
    "encoding": "benchmarks/encoding/**/*.py",
}
LOCKS = "locks"  # an area of its own: row locks and transactions of all these modules
OF_LOCKS = ("lock", "decorator", "transaction")
# No faults: sizes of texts, caches and batches, and what Python or a reader of the code checks.
NO_FAULTS = {"max_length", "batch_size", "chunk_size", "strict", "frozen", "savepoint", "maxsize", "help_text"}
WITHOUT_FAULTS = {"__repr__", "__str__", "__hash__", "Meta"}
OPPOSITES = {ast.Eq: ast.NotEq, ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Is: ast.IsNot, ast.In: ast.NotIn}
OPPOSITES |= {other: one for one, other in OPPOSITES.items()}


@dataclass(frozen=True)
class Mutation:
    """One change of a file: its bytes from `start` to `end` become `text`."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    text: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    def described(self, source: bytes) -> str:
        before, after = (" ".join(text.split()) for text in (source[self.start : self.end].decode(), self.text))
        return f"{self.path}:{self.line} {self.kind}: {before[:90]} → {after[:90]}"


def mutations_of(path: str, source: bytes) -> Iterator[Mutation]:
    """Every change of this file."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in nodes_of(ast.parse(source)):
        for kind, place, text in changes_of(node):
            first, last = (starts[line - 1] for line in (place.lineno, place.end_lineno))
            start = first + place.col_offset - (kind == "decorator")  # its @
            yield Mutation(path, place.lineno, kind, start, last + place.end_col_offset, text)


def nodes_of(node: ast.AST) -> Iterator[ast.AST]:
    """The node and those in it that decide something: no annotations, texts for people or calls of a log."""
    yield node
    is_text = isinstance(node, ast.JoinedStr) or getattr(node, "name", "") in WITHOUT_FAULTS
    is_of_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    if is_text or is_of_types or (isinstance(node, ast.Call) and _is_of_log(node)):
        return
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            is_faultless = name in ("annotation", "returns", "decorator_list") or getattr(child, "arg", "") in NO_FAULTS
            if isinstance(child, ast.AST) and not is_faultless:
                yield from nodes_of(child)


def _is_of_log(call: ast.Call) -> bool:
    return ast.unparse(call.func).lower().startswith(("log.", "logger.", "_("))


def changes_of(node: ast.AST) -> Iterator[tuple[str, Any, str]]:
    """Kind, place and new text of each change of this node itself."""
    yield from _changes_of_operators(node)
    match node:
        case ast.Constant(value=bool(value)):
            yield "constant", node, str(not value)
        case ast.Constant(value=int(value)):
            yield "constant", node, str(value + 1)
        case ast.Call(func=ast.Attribute(value=rows, attr=("filter" | "exclude") as name)):
            yield name, node, f"{ast.unparse(rows)}.all()"
        case ast.Expr(value=ast.Call() as call) if not _is_of_log(call):
            yield "statement", node, "pass"
        case ast.Raise() | ast.AugAssign() | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement", node, "pass"
    yield from _changes_of_transactions(node)


def _changes_of_operators(node: ast.AST) -> Iterator[tuple[str, Any, str]]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=values):
            for place, op in enumerate(ops):
                changed: list[ast.cmpop] = [*ops[:place], OPPOSITES[type(op)](), *ops[place + 1 :]]
                yield "comparison", node, f"({ast.unparse(ast.Compare(left, changed, values))})"
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "and/or", node, f"({ast.unparse(ast.BoolOp(other, values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", node, f"({ast.unparse(operand)})"


def _changes_of_transactions(node: ast.AST) -> Iterator[tuple[str, Any, str]]:
    match node:
        case ast.Call(func=ast.Attribute(value=rows, attr="select_for_update")):
            yield "lock", node, f"{ast.unparse(rows)}.all()"
        case ast.FunctionDef(decorator_list=decorators):
            atomic = (decorator for decorator in decorators if ast.unparse(decorator).startswith("transaction.atomic"))
            yield from (("decorator", one, "") for one in atomic)
        case ast.withitem(context_expr=expression) if ast.unparse(expression).startswith("transaction.atomic("):
            yield "transaction", expression, "__import__('contextlib').nullcontext()"


def draw(area: str, number: int, seed: int) -> list[Mutation]:
    """This many changes of the area, in the order of files and lines."""
    patterns = AREAS.values() if area == LOCKS else [AREAS[area]]
    files = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    files = [path for path in files if path.parent.name != "migrations"]  # `makemigrations --check` compares these
    found = [one for path in files for one in mutations_of(str(path.relative_to(ROOT)), path.read_bytes())]
    places = [one for one in found if (one.kind in OF_LOCKS) == (area == LOCKS)]
    drawn = random.Random(f"{seed}/{area}").sample(places, min(number, len(places)))
    return sorted(drawn, key=lambda one: (one.path, one.start))


class OutOfTimeError(Exception):
    """The tests did not end, which is the change's fault or the machine's: nothing can be said."""


class Copy:
    """A copy of the tree, in which one file at a time is changed."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder, self.database, self.writes = folder, database, 0
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
        for name in filter(lambda name: (ROOT / name).is_file(), listed.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)

    def is_noticed(self, mutation: Mutation, *, is_near: bool) -> bool:
        """Whether a test fails with this change and not without: one near it, or one of all that the app has."""
        path = self.folder / mutation.path
        source = path.read_bytes()
        tests = self.near(mutation) if is_near else [self.folder / "tests" / Path(mutation.path).parts[0]]
        self._write(path, mutation.applied(source))
        try:
            is_failing = self._fail(mutation.kind, "--cache-clear", *map(str, tests))
        finally:
            self._write(path, source)
        return is_failing and not self._fail(mutation.kind, "--last-failed", "--last-failed-no-failures=none")

    def _write(self, path: Path, source: bytes) -> None:
        """With a time of its own: Python takes a compiled file for current if time and size are the same."""
        self.writes += 1
        path.write_bytes(source)
        os.utime(path, (self.writes, self.writes))

    def near(self, mutation: Mutation) -> list[Path]:
        """The test files that name the module or are about locks, and the folder of tests that mirrors its own."""
        path = Path(mutation.path)
        package = ".".join(path.parts[:-1])
        names = [f"{package}.{path.stem}", f"from {package} import {path.stem}"]
        names += ["tests.two_writes"] if mutation.kind in OF_LOCKS else []
        mirrored = next(folder for parent in path.parents if (folder := self.folder / "tests" / parent).is_dir())
        files = sorted((self.folder / "tests" / path.parts[0]).rglob("test_*.py"))
        return [*(file for file in files if any(name in file.read_text() for name in names)), mirrored]

    def _fail(self, kind: str, *arguments: str) -> bool:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-m", ALONE, "-o", "timeout=60", *arguments]
        given = os.environ | ({"DATABASE_URL": self.database} if kind in OF_LOCKS and self.database else {})
        options: dict[str, Any] = {"cwd": self.folder, "env": given, "stdout": subprocess.PIPE, "timeout": LIMIT}
        try:
            done = subprocess.run(command, check=False, **options)
        except subprocess.TimeoutExpired as error:
            raise OutOfTimeError from error
        if b"from pytest-timeout" in done.stdout:
            raise OutOfTimeError
        return done.returncode not in (0, 5)  # 5: no tests


def survivors_of(drawn: list[Mutation], copy: Copy) -> tuple[int, list[str]]:
    """How many changes were judged, and those that no test notices; each is printed as soon as it is tried."""
    judged = len(drawn)
    for is_near in (True, False):
        verdicts = {one: _try(one, copy, is_near=is_near) for one in drawn}
        judged -= sum(verdict is None for verdict in verdicts.values())
        drawn = [one for one, verdict in verdicts.items() if verdict is False]
    return judged, [one.described((ROOT / one.path).read_bytes()) for one in drawn]


def _try(mutation: Mutation, copy: Copy, *, is_near: bool) -> bool | None:
    """Whether a test notices the change; None if the time did not suffice."""
    source = (ROOT / mutation.path).read_bytes()
    key = hashlib.sha256(repr(mutation).encode() + source).hexdigest()[:20]
    before = NOTICED.read_text() if NOTICED.exists() else ""
    try:
        is_noticed = key in before or copy.is_noticed(mutation, is_near=is_near)
    except OutOfTimeError:
        print("NOT JUDGED", mutation.described(source), flush=True)
        return None
    print("noticed " if is_noticed else "not near" if is_near else "SURVIVED", mutation.described(source), flush=True)
    if is_noticed and key not in before:
        NOTICED.parent.mkdir(exist_ok=True)
        NOTICED.write_text(f"{before}{key}\n")
    return is_noticed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--area", action="append", choices=[*AREAS, LOCKS], help="all by default; can be repeated")
    parser.add_argument("--number", type=int, default=10, help="changes of each area")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table, survivors = [], []
    with TemporaryDirectory() as folder:
        copy = Copy(Path(folder).resolve(), os.environ.pop("DATABASE_URL", ""))
        for area in options.area or [*AREAS, LOCKS]:
            drawn = draw(area, options.number, options.seed)
            judged, unnoticed = survivors_of(drawn, copy)
            table.append((area, judged, judged - len(unnoticed)))
            survivors += unnoticed
    failed = [area for area, judged, noticed in table if noticed < LEAST * judged]
    table.append(("all", sum(judged for _, judged, _ in table), sum(noticed for *_, noticed in table)))
    print("\n| area | judged | noticed | share |\n|---|---:|---:|---:|")
    for area, number, noticed in table:
        print(f"| {area} | {number} | {noticed} | {noticed / max(1, number):.0%} |")
    print("\nUnnoticed:", *survivors, sep="\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
