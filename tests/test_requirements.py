"""Each line of docs/beat.md has a test marked with its key."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINE = re.compile(r"^\| ([MP]\d+) \|", re.MULTILINE)


def promised() -> list[str]:
    """The key of each line of docs/beat.md."""
    return LINE.findall((ROOT / "docs/beat.md").read_text())


def carried() -> set[str]:
    """The keys of all tests marked `@pytest.mark.requirement("KEY")`."""
    calls = (node for path in (ROOT / "tests").rglob("*.py") for node in ast.walk(ast.parse(path.read_text())))
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "pytest.mark.requirement"
        and isinstance(call.args[0], ast.Constant)
    }


def test_every_line_has_its_test_and_every_marked_test_its_line():
    assert len(promised()) == 31
    assert carried() ^ set(promised()) == set()
