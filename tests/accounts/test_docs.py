"""Each promise in docs/security.md names its tests, and each of these tests exists."""

import re
from pathlib import Path

import pytest

from tests.site import ROOT
from tools.bench.soak import PARTS

PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(test_\w+|tools/[\w/]+\.py)`")
FREE = "## Known to be open"  # sections without promises need no test


def written() -> set[str]:
    """Every test function that pytest would collect, including methods."""
    files = (ROOT / "tests").rglob("test_*.py")
    return {name for path in files for name in re.findall(r"^ *(?:async )?def (test_\w+)\(", path.read_text(), re.M)}


def rows(page: str) -> list[str]:
    """The rows of all tables without their headers."""
    lines = page.splitlines()
    is_rule = [bool(re.fullmatch(r"\|[-|: ]+\|", line)) for line in lines]
    heads = {number - 1 for number, rules in enumerate(is_rule) if rules}
    return [
        line
        for number, line in enumerate(lines)
        if line.startswith("|") and not is_rule[number] and number not in heads
    ]


def missing(page: str, root: Path = ROOT) -> list[str]:
    """Names on the page that do not exist: tests, tools, parts of the soak."""
    parts = {name for part in PARTS for name in (part, part.partition("-")[0])}
    lost = [name for name in NAMED.findall(page) if name.startswith("tools/") and not (root / name).is_file()]
    lost += sorted({name for name in NAMED.findall(page) if name.startswith("test_")} - written())
    return lost + [part for part in re.findall(r"make soak PART=([\w-]+)", page) if part not in parts]


def untested(page: str) -> list[str]:
    """Rows whose last column names no test; one test walks through the table of doors."""
    before, _, doors = page.partition("## Doors of a study")
    return [row for row in rows(before + doors.partition("\n## ")[2]) if not NAMED.search(row.split("|")[-2])]


def test_every_threat_names_a_test_that_exists():
    assert len(set(NAMED.findall(PAGE))) > 60
    assert missing(PAGE) == []
    assert len(rows(PAGE)) > 40
    assert untested(PAGE) == []


def test_every_promise_in_prose_names_a_test():
    promised, free, _ = PAGE.partition(FREE)
    assert free
    prose = [part for part in promised.split("\n\n")[2:] if part and not part.startswith(("|", "#"))]
    without = [part for part in prose if not NAMED.search(part) and "make soak" not in part]
    assert without == []


@pytest.mark.parametrize(
    ("page", "lost", "bare"),
    [
        ("| a | b |\n|---|---|\n| x | `test_every_promise_in_prose_names_a_test` |", 0, 0),
        ("| a | b |\n|---|---|\n| x | `test_of_nothing_that_is_there` |", 1, 0),
        ("| a | b |\n|---|---|\n| x | soon |\n| `test_every_promise_in_prose_names_a_test` | |", 0, 2),
        ("`tools/bench/nothing.py`, `make soak PART=nothing`, `tools/bench/soak.py`, `make soak PART=fuzz`", 2, 0),
    ],
)
def test_these_checks_find_what_is_lost(page, lost, bare):
    assert (len(missing(page)), len(untested(page))) == (lost, bare)


def test_make_check_runs_bandit():
    makefile = (ROOT / "Makefile").read_text()
    check, rest = (re.search(rf"^{name}:.*?(?=^\S)", makefile, re.M | re.S) for name in ("check", "check-rest"))
    assert check
    assert rest
    assert re.search(r"^\t@\$\(MAKE\) .*\bcheck-rest$", check[0], re.M)
    assert re.search(r"^\t\.venv/bin/bandit .*--recursive \$\(SITE\)$", rest[0], re.M)
