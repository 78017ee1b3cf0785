"""Tests the project's structure: packages by subject in each app, no import circles, few modules at the root."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

from benchmarks.leasing import Leased

ROOT = Path(__file__).resolve().parent.parent
APPS = ("benchmarks", "benchsite", "evaluation", "extensions", "humantrials", "leaderboard")
CODE = (*APPS, "accounts", "measures", "scenes")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PARTED = (*APPS, "extensions.annotation", "extensions.training")  # whose packages have layers
OF_DJANGO = {"management", "migrations", "templatetags"}
WORDS_OF_OURS = """
    arrivals asked beat busy careful course distances dividing drawn gaps given halves heard hearing
    hints homecoming joining keep keeping kept laying leaving lessons listed looking mark marks
    observing printed promise promises rest road said settling shelf shown sights stops told trouble
    turn versus wake words
"""
# Also refused in names of functions, where the others may be verbs, sounds, lists or bodies at rest.
OF_FUNCTIONS = {
    *("asked", "careful", "course", "drawn", "given", "halves", "heard", "homecoming", "kept", "lessons", "promise"),
    *("promises", "road", "said", "settling", "shelf", "shown", "sights", "stops", "told", "trouble", "wake"),
}
# A property of a stored decision, which templates read; a shelf that is a body or a filter.
NAMED_SO = {"is_kept", "_shelf"}
# Established terms: of Django, of Celery, of conversations; `benchmarks/words.py` holds words.
OF_THE_FIELD = {"words", "BeatScheduler", "Turn"}

LINTED = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
LAYERS = {
    contract["containers"][0]: {name for layer in contract["layers"] for name in layer.split(" | ")}
    for contract in LINTED
    if "containers" in contract
}
CONTRACTS = {contract["name"]: contract.get("protected_modules", ()) for contract in LINTED}


def packages(app: str) -> set[str]:
    """Names of the app's packages, without those that Django prescribes."""
    return {path.parent.name for path in folder_of(app).glob("*/__init__.py")} - OF_DJANGO


def folder_of(app: str) -> Path:
    return ROOT.joinpath(*app.split("."))


def modules(app: str) -> list[Path]:
    """Python files of the app, without migrations, commands, template tags and `__init__.py`."""
    files = (path.relative_to(folder_of(app)) for path in folder_of(app).rglob("*.py"))
    return [path for path in files if path.parts[0] not in OF_DJANGO and path.name != "__init__.py"]


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file; several tests look at them."""
    return tuple(ast.walk(tree_of(path)))


def imported(path: Path) -> Iterator[str]:
    """Full names that a file imports at run time, without those under TYPE_CHECKING."""
    typing_only = {
        id(inner)
        for node in nodes_of(path)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in (node for node in nodes_of(path) if id(node) not in typing_only):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def edges(app: str) -> dict[str, set[str]]:
    """For each package of the app, the other packages that it imports."""
    names = packages(app)
    found: dict[str, set[str]] = {name: set() for name in names}
    for name in names:
        for path in (folder_of(app) / name).rglob("*.py"):
            inner = (full.removeprefix(f"{app}.") for full in imported(path) if full.startswith(f"{app}."))
            found[name] |= {full.split(".")[0] for full in inner} & names - {name}
    return found


def circle(graph: dict[str, set[str]]) -> set[str]:
    """The packages in or above an import circle: those left after repeatedly removing packages without imports."""
    left = dict(graph)
    while done := {name for name, known in left.items() if not known & left.keys()}:
        left = {name: known for name, known in left.items() if name not in done}
    return set(left)


@pytest.mark.parametrize("app", PARTED)
def test_packages_of_an_app_import_each_other_in_no_circle(app):
    assert circle(edges(app)) == set()
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == {"a", "b", "c"}


@pytest.mark.parametrize("app", PARTED)
def test_every_package_has_its_layer(app):
    assert packages(app) <= LAYERS[app]


@pytest.mark.parametrize("app", PARTED)
def test_at_most_a_fifth_of_an_app_lies_at_its_root(app):
    names = modules(app)
    at_root = [path for path in names if len(path.parts) == 1]
    assert len(at_root) <= len(names) / 5, sorted(map(str, at_root))


@pytest.mark.parametrize("app", PARTED)
def test_every_package_says_what_it_is_for(app):
    silent = [
        name
        for name in packages(app)
        if not ast.get_docstring(ast.parse((folder_of(app) / name / "__init__.py").read_text()))
    ]
    assert silent == []


def test_every_place_that_contributing_names_exists():
    named = re.findall(r"`(\w+/[\w/]*(?:\.py)?)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_drawing_of_the_floors_names_every_package():
    drawing = (ROOT / "docs" / "drawings" / "floors.svg").read_text()
    named = {
        app: set(re.findall(r"\w+", " ".join(re.findall(r"<text x=[^>]*>(.*?)</text>", text))))
        for app, text in re.findall(r'class="name"[^>]*>(\w+)<(.*?)(?=<rect|</svg>)', drawing, re.DOTALL)
    }
    assert set(named) == set(CODE)
    for app, words in named.items():
        there = {path.stem for path in folder_of(app).iterdir() if path.suffix in ("", ".py")}
        assert packages(app) <= words <= there, app


def names(path: Path) -> Iterator[str]:
    """The names of a module and its classes."""
    yield path.stem
    yield from (node.name for node in nodes_of(path) if isinstance(node, ast.ClassDef))


def is_word_of_ours(name: str) -> bool:
    """Whether the name contains a word that the glossary replaces."""
    return bool(set(WORDS_OF_OURS.split()) & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)})


def files_of(*places: str) -> list[Path]:
    """Python files of these folders but migrations."""
    return [path for place in places for path in (ROOT / place).rglob("*.py") if "migrations" not in path.parts]


def local_names(path: Path) -> Iterator[str]:
    """Names of parameters and of variables that functions assign."""
    for function in (node for node in nodes_of(path) if isinstance(node, FUNCTIONS)):
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                yield node.arg
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def test_modules_classes_functions_and_variables_have_the_names_of_the_field():
    assert [is_word_of_ours(name) for name in ("CellMark", "hearing_items", "Benchmark")] == [True, True, False]
    files = files_of(*CODE)
    assert {name for path in files for name in names(path) if is_word_of_ours(name)} == OF_THE_FIELD
    functions = {node.name for path in files for node in nodes_of(path) if isinstance(node, FUNCTIONS)}
    assert {name for name in functions if OF_FUNCTIONS & set(name.lower().split("_"))} == NAMED_SO
    variables = {name for path in files for name in local_names(path)}
    # A body or a filter, and an option that stored models have: adapters are opened with it by name.
    assert {name for name in variables if OF_FUNCTIONS & set(name.lower().split("_"))} == {"shelf", "asked_on"}


def test_few_statements_are_formatted_by_hand():
    files = files_of(*CODE, "tests", "tools")
    assert sum(path.read_text().count("# " + "fmt: skip") for path in files) <= 40


def test_a_class_name_has_one_meaning_in_the_site():
    """Django's and commands' own names aside."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in files_of(*CODE):
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and node.name != "Command":
                places[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


PLAIN_MEASURES = {"figures", "ranking", "scores", "spreadsheet_cells"}  # modules and packages
OF_STATISTICS = {  # of numpy and of the standard library
    *("NormalDist", "correlation", "covariance", "kde", "linear_regression", "quantiles", "variance"),
    *("corrcoef", "cov", "nanpercentile", "nanquantile", "nanstd", "nanvar", "percentile", "quantile", "std", "var"),
}


def test_every_module_of_measures_is_plain_or_behind_the_door():
    inner = {name.removeprefix("measures.") for name in CONTRACTS["Intervals, tests and ranks are chosen in one place"]}
    known = inner | PLAIN_MEASURES
    root = ROOT / "measures"
    files = {path.relative_to(root).with_suffix("").parts for path in root.rglob("*.py") if path.name != "__init__.py"}
    assert {".".join(file) for file in files if not known & {file[0], ".".join(file)}} == set()


def uses_of_statistics(path: Path) -> set[str]:
    """The functions that estimate a spread, a quantile or a correlation, as a file imports or calls them."""
    called = {node.func.attr for node in nodes_of(path) if isinstance(node, ast.Call) and hasattr(node.func, "attr")}
    return OF_STATISTICS & (called | {name.rpartition(".")[2] for name in imported(path)})


def test_no_app_estimates_by_itself():
    files = (path for app in (*APPS, "accounts") for path in (ROOT / app).rglob("*.py"))
    assert {path.relative_to(ROOT).as_posix(): used for path in files if (used := uses_of_statistics(path))} == {}


def comparisons_of_ends(path: Path) -> list[int]:
    """The lines that compare an end of an interval, which the door decides."""
    compared = (node for node in nodes_of(path) if isinstance(node, ast.Compare))
    orders = (node for node in compared if any(isinstance(op, ast.Lt | ast.Gt | ast.LtE | ast.GtE) for op in node.ops))
    return [
        node.lineno
        for node in orders
        if any(getattr(side, "attr", "") in {"low", "high"} for side in (node.left, *node.comparators))
    ]


def test_no_app_compares_ends_of_intervals():
    files = (path for app in APPS for path in (ROOT / app).rglob("*.py"))
    places = {path.relative_to(ROOT).as_posix() for path in files if comparisons_of_ends(path)}
    # Ends of a scale; how alike two rows' errors must surely be to be copied.
    assert places == {"humantrials/planning/questionnaires.py", "evaluation/submissions/listing/integrity.py"}


def test_one_module_says_whether_people_lead():
    """A tint is a claim of its own, of one cell."""
    rules = {f"measures.estimate.{name}" for name in ("excludes", "lies_below", "stands")}
    files = (ROOT / "leaderboard/board").rglob("*.py")
    users = {path.name: used for path in files if (used := rules & set(imported(path)))}
    assert users == {"claims.py": rules, "cell_display.py": {"measures.estimate.stands"}}


def test_no_module_makes_a_secret_of_the_installation_but_its_table():
    paths = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    makers = [path for path in paths if "Key.objects.get_or_create" in path.read_text()]
    assert [path.relative_to(ROOT).as_posix() for path in makers] == ["benchsite/serving/serve.py"]  # a fingerprint


def test_no_module_but_leasing_decides_who_holds_a_row():
    """Columns of a table's index and of the admin site are only named."""
    found = set()
    for path in files_of(*APPS):
        for node in nodes_of(path):
            words = [getattr(node, "arg", ""), getattr(node, "attr", "")] if not isinstance(node, ast.arg) else []
            words += [ast.unparse(key) for key in node.keys if key] if isinstance(node, ast.Dict) else []
            if any("lease_until" in str(word) or word == "skip_locked" for word in words):
                found.add(path.relative_to(ROOT).as_posix())
    assert found == {"benchmarks/leasing.py"}


def test_whatever_counts_attempts_is_leased():
    """A queue of its own would count them."""
    counting = [kind for kind in apps.get_models() if any(field.name == "attempts" for field in kind._meta.fields)]
    assert counting
    assert [kind for kind in counting if not issubclass(kind, Leased)] == []


def test_one_module_sends_messages_to_workers():
    """It says what happens while the broker is away."""
    ways = ("delay", "apply_async", "send_task")
    used = {
        path.relative_to(ROOT).as_posix()
        for path in files_of(*APPS, "accounts")
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ways
    }
    assert used == {"benchmarks/leasing.py"}
