"""The tests of a file run in one process, so that a module's fixtures are built once."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import shallow_first
from tests.groups import FAMILIES, LONGEST, WAITING, TwoKinds, keep_together, longest_first


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
    """As much of a test as decides its group and its place."""

    def __init__(self, file: str, *marks: str) -> None:
        self.nodeid = f"tests/{file}::test_x"
        self.marks = {mark: getattr(pytest.mark, mark).mark for mark in marks}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.marks[mark.name] = mark.mark


class OneWorker:
    """As much of a worker as the scheduler asks for work, and the names of the groups that were sent to it."""

    shutting_down = False

    def __init__(self, number: int, names: list[str]) -> None:
        self.gateway = SimpleNamespace(id=f"gw{number}")
        self.names = names
        self.sent: list[str] = []

    def send_runtest_some(self, places: list[int]) -> None:
        self.sent += [self.names[place].partition("@")[2] for place in places]

    def shutdown(self) -> None:
        self.shutting_down = True


def test_every_second_worker_waits_and_the_longest_begin():
    items = [
        *(OneTest(f"w{number}.py", WAITING[0]) for number in range(5)),
        *map(OneTest, ("c0.py", "c1.py", LONGEST[0])),
    ]
    keep_together(items)
    longest_first(items)
    names = [f"{item.nodeid}@{item.marks['xdist_group'].args[0]}" for item in items]
    scheduler = TwoKinds(
        SimpleNamespace(getvalue=lambda _: ["popen", "popen"], option=SimpleNamespace(loadscopereorder=False))
    )
    workers = [OneWorker(number, names) for number in range(2)]
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, names)
    scheduler.schedule()
    while scheduler.has_pending:
        for worker in workers:
            for at, name in enumerate(names):
                if scheduler.assigned_work[worker].get(name.rpartition("@")[2], {}).get(name) is False:
                    scheduler.mark_test_complete(worker, at)
    computed, waited = ([group.removeprefix("tests/") for group in worker.sent] for worker in workers)
    assert computed == [LONGEST[0], "c0.py", "c1.py", "w2.py:waits", "w3.py:waits"]  # its own kind had ended
    assert waited == ["w0.py:waits", "w1.py:waits", "w4.py:waits"]


def test_the_order_reaches_the_scheduler(request):
    """pytest-django orders all tests by their use of the database, after the order of a conftest.py."""
    if not request.config.getoption("loadgroup", False):
        pytest.skip("groups exist in `make test` alone")
    items = list(request.session.items)
    longest_first(items)
    assert items == request.session.items


def test_the_longest_files_exist():
    assert [file for file in LONGEST if not (Path(__file__).parent / file).is_file()] == []
    assert [file for file in FAMILIES if not (Path(__file__).parents[1] / file).is_file()] == []
