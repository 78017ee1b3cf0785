"""The mutation run: it changes what decides something, one place at a time, and reports what no test notices."""

import subprocess

import pytest

from tools import mutation
from tools.mutation import AREAS, LOCKS, Copy, draw, mutations_of, survivors_of


def changed(source: str) -> list[str]:
    return [one.applied(source.encode()).decode() for one in mutations_of("a.py", source.encode())]


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("x = a < b", ["x = (a <= b)"]),
        ("x = a is None", ["x = (a is not None)"]),
        ("x = a == b == c", ["x = (a != b == c)", "x = (a == b != c)"]),
        ("x = a and b", ["x = (a or b)"]),
        ("x = not a", ["x = (a)"]),
        ("x = f(3, True)", ["x = f(4, True)", "x = f(3, False)"]),
        ("x = rows.filter(a=b)", ["x = rows.all()"]),
        ("rows.exclude(a=b).delete()", ["pass", "rows.all().delete()"]),
        ("x = rows.select_for_update().get()", ["x = rows.all().get()"]),
        ("@transaction.atomic\ndef f(): ...", ["\ndef f(): ..."]),
        ("with transaction.atomic(): ...", ["with __import__('contextlib').nullcontext(): ..."]),
        ("raise Refused", ["pass"]),
        ("a.b = c", ["pass"]),
        ('é = "é", a < b', ['é = "é", (a <= b)']),
    ],
)
def test_each_kind_of_change(source, changes):
    assert changed(source) == changes


@pytest.mark.parametrize(
    "source",
    [
        '"""Words 1."""',
        'log.warning("away", 3)',
        'x = f"{a < b}"',
        "x: Literal[3]",
        "def __str__(self): return a < b",
        "if TYPE_CHECKING: a.b = c",
        "x = zip(a, b, strict=True)",
    ],
)
def test_what_is_no_fault_stays(source):
    assert changed(source) == []


@pytest.mark.parametrize("area", [*AREAS, LOCKS])
def test_a_seed_draws_the_same_changes_and_each_can_be_read_by_python(area):
    drawn = draw(area, 20, 7)
    assert drawn == draw(area, 20, 7) != draw(area, 20, 8)
    assert len(drawn) == 20
    for one in drawn:
        compile(one.applied((mutation.ROOT / one.path).read_bytes()), one.path, "exec")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository of one module, of whose two functions one is tested."""
    root = tmp_path / "tree"
    files = {
        "measures/sizes.py": "def large(x):\n    return x > 3\n\ndef small(x):\n    return x < 3\n",
        "tests/measures/test_sizes.py": "from measures.sizes import large\n\ndef test(): assert not large(3)\n",
        "pytest.ini": "[pytest]\naddopts = -p no:django\npythonpath = .\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    monkeypatch.setattr(mutation, "ROOT", root)
    monkeypatch.setattr(mutation, "NOTICED", root / "var" / "mutation.txt")
    (tmp_path / "copy").mkdir()
    return Copy(tmp_path / "copy", "")


def test_what_no_test_notices_is_reported_and_the_rest_is_not_tried_again(tree, monkeypatch):
    drawn = [one for one in draw("measures", 99, 1) if one.kind == "comparison"]
    assert survivors_of(drawn, tree) == (2, ["measures/sizes.py:5 comparison: x < 3 → (x <= 3)"])
    assert (tree.folder / "measures/sizes.py").read_bytes() == (mutation.ROOT / "measures/sizes.py").read_bytes()
    tried = []
    monkeypatch.setattr(Copy, "is_noticed", lambda self, one, *, is_near: bool(tried.append((one.line, is_near))))
    survivors_of(drawn, tree)
    assert tried == [(5, True), (5, False)]


def test_a_test_that_fails_anyway_notices_nothing(tree):
    (tree.folder / "tests/measures/test_sizes.py").write_text("def test(): assert False\n")
    assert not tree.is_noticed(draw("measures", 1, 1)[0], is_near=True)


@pytest.mark.parametrize(("option", "limit"), [("--timeout=1", 300), ("", 3)])
def test_a_change_whose_tests_run_out_of_time_is_neither_noticed_nor_a_survivor(tree, monkeypatch, option, limit):
    monkeypatch.setattr(mutation, "LIMIT", limit)
    monkeypatch.setenv("PYTEST_ADDOPTS", option)
    (tree.folder / "tests/measures/test_sizes.py").write_text("import time\n\ndef test(): time.sleep(99)\n")
    assert survivors_of(draw("measures", 1, 1), tree) == (0, [])
