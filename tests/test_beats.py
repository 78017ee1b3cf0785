"""docs/beat.md is a promise: each line whose owner is done has a test that carries its key."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINE = re.compile(r"^\| ([MP]\d+) \| ([A-Z]) \|", re.MULTILINE)


def promised() -> dict[str, str]:
    """Key of each line -> the letter of the issue that owns it."""
    return dict(LINE.findall((ROOT / "docs/beat.md").read_text()))


def carried() -> set[str]:
    """Keys that a test carries as `@pytest.mark.beats("KEY")`."""
    calls = (node for path in (ROOT / "tests").rglob("*.py") for node in ast.walk(ast.parse(path.read_text())))
    return {
        str(call.args[0].value)
        for call in calls
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "pytest.mark.beats"
        and isinstance(call.args[0], ast.Constant)
    }


def test_every_line_of_a_finished_owner_has_its_test():
    done = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["benchsite"]["beats"]["done"]
    missing = {key for key, owner in promised().items() if owner in done} - carried()
    assert not missing, f"lines of docs/beat.md without a test: {sorted(missing)}"


def test_no_test_names_a_line_that_does_not_exist():
    assert carried() <= set(promised())


def test_the_table_is_read():
    assert promised()["M18"] == "A"
    assert len(promised()) == 31
