"""Words that several parts use: each part has the same, and one place decides when makers may be named."""

import ast
from pathlib import Path

import extensions.generated
from benchmarks.definitions.files.compile import RATED
from benchmarks.definitions.rated_dimensions import CANT_TELL
from extensions.generated.made import latent
from extensions.generated.rating.pages import SIDES, WHAT_BREAKS, WHETHER
from extensions.generated.scores.answers import PAIR_ANSWERS

ROOT = Path(extensions.generated.__file__).parent


def names_of(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_breaks_that_are_made_are_those_that_people_may_answer():
    assert set(latent.KINDS) == set(WHAT_BREAKS.answers)


def test_buttons_are_the_answers_of_the_benchmark_file():
    assert set(SIDES.answers) == set(RATED["pair"])
    assert set(WHETHER.answers) == set(RATED["break"])
    assert {*PAIR_ANSWERS, CANT_TELL} == set(SIDES.answers)


def test_one_module_decides_whether_makers_are_named():
    users = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if names_of(path) & {"OVER", "PUBLIC"}]
    assert users == ["naming.py"]
