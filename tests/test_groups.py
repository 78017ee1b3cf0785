"""The tests of a file run in one process, so that a module's fixtures are built once."""

from pathlib import Path

import pytest

from tests.conftest import shallow_first
from tests.groups import FAMILIES, LONGEST, WAITING, take_turns


def test_the_group_of_each_test_reaches_the_scheduler(request):
    """The scheduler of pytest-xdist reads the group at the end of a test's name; pytest 9.2 dropped it silently."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("groups exist in `make test` alone")
    for item in request.session.items:
        group = item.get_closest_marker("xdist_group").args[0]
        assert item.nodeid.endswith(f"@{group}")


def test_a_file_comes_before_the_folders_below_its_own():
    given = ["tests/leaderboard/board", "tests/test_groups.py::test_x", "tests/leaderboard", "tests/leaderboard/views"]
    expected = ["tests/test_groups.py::test_x", "tests/leaderboard", "tests/leaderboard/board"]
    assert shallow_first(given) == [*expected, "tests/leaderboard/views"]
    assert shallow_first(["tests", "tests/test_groups.py"]) == ["tests", "tests/test_groups.py"]


class OneTest:
    """As much of a test as decides its turn."""

    def __init__(self, group: str, *marks: str) -> None:
        self.nodeid = f"{group}::test_x"
        self.marks = {mark: pytest.mark.xdist_group(group).mark for mark in ("xdist_group", *marks)}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)


def test_tests_that_wait_and_tests_that_compute_alternate_and_the_longest_begin():
    long = LONGEST[0].removesuffix(".py")
    waiting = [OneTest(f"tests/{name}.py", WAITING[0]) for name in ("w0", "w1", "w2")]
    items = [*waiting, *(OneTest(f"tests/{name}.py") for name in ("c0", "c1", long, "c3"))]
    take_turns(items)
    order = [item.nodeid.removeprefix("tests/").removesuffix(".py::test_x") for item in items]
    assert order == ["w0", long, "w1", "c0", "w2", "c1", "c3"]


def test_the_turns_reach_the_scheduler(request):
    """pytest-django orders all tests by their use of the database, after the order of a conftest.py."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("groups exist in `make test` alone")
    items = list(request.session.items)
    take_turns(items)
    assert items == request.session.items


def test_the_longest_files_exist():
    assert [file for file in LONGEST if not (Path(__file__).parent / file).is_file()] == []
    assert [file for file in FAMILIES if not (Path(__file__).parents[1] / file).is_file()] == []
