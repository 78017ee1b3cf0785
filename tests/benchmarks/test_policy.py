"""Periods and sizes stand in one module, and the documents and pages say the same."""

import ast
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.template import Context, Template

from benchmarks.policy import DAY, KEEP, MEGABYTE, Limit, Period

ROOT = Path(__file__).resolve().parents[2]
APPS = ("accounts", "benchmarks", "benchsite", "evaluation", "extensions", "humantrials", "leaderboard", "measures")
LONG = {"days", "weeks", "hours"}
OF_BYTES = {1024, 1024**2, 1024**3, 10**6, 10**9}


def is_constant(node):
    return all(isinstance(part, ast.Constant | ast.BinOp | ast.operator) for part in ast.walk(node))


def is_period(node):
    """`timedelta(days=7)`: a period of hours or longer that a module has for itself."""
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("timedelta"):
        return False
    return any(one.arg in LONG and is_constant(one.value) for one in node.keywords)


def is_size(node):
    """`64 * 1024`, `2**20`, `1 << 20`: a number of bytes that a module has for itself."""
    if not isinstance(node, ast.BinOp) or not is_constant(node):
        return False
    if isinstance(node.op, ast.Mult):
        return any(isinstance(one, ast.Constant) and one.value in OF_BYTES for one in (node.left, node.right))
    is_power = isinstance(node.op, ast.Pow | ast.LShift) and isinstance(node.right, ast.Constant)
    return is_power and ast.unparse(node) in ("2 ** 10", "2 ** 20", "2 ** 30", "1024 ** 2", "1024 ** 3", "1 << 20")


def test_no_other_module_has_a_period_or_a_size():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if path.name != "policy.py" and "migrations" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if is_period(node) or is_size(node)
    ]
    assert found == []


OF_POLICY = ["timedelta(days=7)", "64 * 1024", "8 * 2**20", "1 << 20", "datetime.timedelta(hours=1)"]
OF_OTHERS = ["timedelta(days=trial.days)", "timedelta(seconds=60)", "3 * MEGABYTE", "1 << bits"]


def test_a_period_or_a_size_is_found_and_what_depends_on_something_is_not():
    nodes = {text: list(ast.walk(ast.parse(text))) for text in (*OF_POLICY, *OF_OTHERS)}
    assert [text for text in nodes if any(is_period(node) or is_size(node) for node in nodes[text])] == OF_POLICY


def test_documents_and_pages_print_the_policy():
    page = (ROOT / "docs/deploying.md").read_text()
    tables = page.partition("benchmarks/policy.py")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", tables, re.MULTILINE)
    assert rows == [("kept", "for"), *((one.what, one.words) for one in KEEP.values())]
    page = Template("{% keep 'refused uploads' %}, {% limit 'upload' %}").render(Context())
    assert page == "7 days, 64 MB"


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (Period(DAY, ""), "1 day"),
        (Period(timedelta(hours=36), ""), "36 hours"),
        (Period(timedelta(minutes=2), ""), "2 minutes"),
        (Limit(2000 * MEGABYTE, ""), "2,000 MB"),
        (Limit(64 * 1024, ""), "64 kB"),
        (Limit(5000, "", "files"), "5,000 files"),
    ],
)
def test_words_are_in_the_largest_whole_unit(one, words):
    assert one.words == words
