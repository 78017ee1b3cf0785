"""How tests are ordered and shared out."""

import pytest

from tests.conftest import lacks_mark, shallow_first
from tests.programs import ROOT


def test_the_group_of_each_test_reaches_the_scheduler(request):
    """The scheduler of pytest-xdist reads the group at the end of a test's name; pytest 9.2 dropped it silently."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("groups exist in `make test` alone")
    for item in request.session.items:
        group = item.get_closest_marker("xdist_group").args[0]
        assert item.nodeid.endswith(f"@{group}")


def test_a_file_comes_before_the_folders_below_its_own():
    given = [
        "tests/leaderboard/board",
        "tests/test_conftest.py::test_x",
        "tests/leaderboard",
        "tests/leaderboard/pages",
    ]
    expected = ["tests/test_conftest.py::test_x", "tests/leaderboard", "tests/leaderboard/board"]
    assert shallow_first(given) == [*expected, "tests/leaderboard/pages"]
    assert shallow_first(["tests", "tests/test_conftest.py"]) == ["tests", "tests/test_conftest.py"]


def test_for_both_databases_files_without_such_a_test_are_not_loaded():
    named = ("measures/test_roc.py", "conftest.py", "benchsite/test_tables.py", "evaluation/queue/test_leases.py")
    paths = [ROOT / "tests" / name for name in named]
    assert [lacks_mark(path, "embedded") for path in paths] == [True, False, False, False]
    assert not any(lacks_mark(path, "") for path in paths)
