"""Distributes the tests over processes: which of them share one, and in which order they begin."""

import pytest
from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

# Fixtures that start a site's processes: all tests that use one run in one worker, which starts it once.
SITES = ("cluster", "small_release", "site", "upgraded")
# Files whose tests load the same libraries and tiny models, which take 5 s of a processor: one worker runs them all.
FAMILIES = tuple(
    f"tests/evaluation/adapters/test_{name}.py"
    for name in ("families_table", "chat_templates", "hearing", "families", "likelihood", "constraints", "sizing")
)
# Marks of tests that wait for other processes more than they compute.
WAITING = ("browser", "worker", "nginx", "postgres", "redis")
# Files of more than eight seconds, which begin first: the last ones would keep a single core busy at the end.
LONGEST = (
    "humantrials/test_browser.py",
    "test_tutorials.py",
    "benchsite/test_faults.py",
    "evaluation/test_crash.py",
    "benchsite/web/test_bounded_server.py",
    "humantrials/annotation/test_walk.py",
    "benchsite/supervisor/test_serve.py",
    "leaderboard/views/test_browser.py",
    "deployment/test_operator_week.py",
    "benchsite/backup/test_backup.py",
    "humantrials/annotation/test_drawing.py",
    "humantrials/test_siege.py",
    "evaluation/submissions/test_browser.py",
    "evaluation/training/test_training.py",
    "evaluation/adapters/test_families_table.py",
    "seals/test_seals.py",
    "evaluation/adapters/test_openai.py",
    "deployment/test_object_store.py",
    "evaluation/training/test_craft_training.py",
    "benchmarks/definitions/files/test_neighbours.py",
    "evaluation/adapters/test_command.py",
    "benchmarks/generation/test_official_layout.py",
    "benchmarks/encoding/test_sandbox.py",
    "benchmarks/packs/test_second_version.py",
    "bench/test_shortcuts.py",
    "test_crawl.py",
    "benchmarks/encoding/analysis/test_shots.py",
    "scenes/test_audit.py",
    "scenes/test_rendering.py",
    "benchmarks/generation/test_interrupted_generation.py",
    "scenes/giraffe/test_choices.py",
    "humantrials/protocols/test_annotation_stages.py",
    "leaderboard/audits/test_blind.py",
    "test_architecture.py",
    "test_warm.py",
)


def keep_together(items: list[pytest.Item]) -> None:
    """Send each file, or all files that share a site, to one worker; groups that wait have a colon in their names."""
    of_file: dict[str, str] = {}
    waiting = {file_of(item) for item in items if any(item.get_closest_marker(mark) for mark in WAITING)}
    for item in items:
        file = file_of(item)
        shared = next((name for name in SITES if name in getattr(item, "fixturenames", ())), "")
        if shared:
            of_file[file] = f"{_made_in(item, shared)}:{shared}"
        elif file not in of_file:
            of_file[file] = FAMILIES[0] if file in FAMILIES else file + ":waits" * (file in waiting)
    for item in items:
        item.add_marker(pytest.mark.xdist_group(of_file[file_of(item)]))


def file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _made_in(item: pytest.Item, fixture: str) -> str:
    """The folder of the conftest.py, or the file, that defines this fixture for the test."""
    return item._fixtureinfo.name2fixturedefs[fixture][-1].baseid  # type: ignore[attr-defined]


def longest_first(items: list[pytest.Item]) -> None:
    """Order the groups so that the longest begin first."""
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault(_group(item), []).append(item)
    place = {group: place for place, group in enumerate(_by_length(groups))}
    items.sort(key=lambda item: place[_group(item)])


def _group(item: pytest.Item) -> str:
    mark = item.get_closest_marker("xdist_group")
    assert mark is not None
    return str(mark.args[0])


def _by_length(groups: dict[str, list[pytest.Item]]) -> list[str]:
    def place(group: str) -> int:
        files = {file_of(item).removeprefix("tests/") for item in groups[group]}
        return min((LONGEST.index(file) for file in files if file in LONGEST), default=len(LONGEST))

    return sorted(groups, key=lambda group: (place(group), ":" not in group))


class TwoKinds(LoadGroupScheduling):
    """Every second worker begins with the groups that wait, the others with those that compute.

    So all cores are busy while a test waits for its processes, and half of the workers need no browser, the other half
    no libraries of models. A worker that has no more groups of its kind goes on with the other kind.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        waits = int(node.gateway.id.removeprefix("gw")) % 2 == 1
        own = next((group for group in self.workqueue if (":" in group) == waits), "")
        if own:
            self.workqueue.move_to_end(own, last=False)
        super()._assign_work_unit(node)
