"""Distributes the tests over processes: which of them share one, and in which order they begin."""

import pytest

# Fixtures that start a site's processes: all tests that use one run in one worker, which starts it once.
SITES = ("cluster", "small_release", "site", "upgraded")
# Files whose tests load the same libraries and tiny models, which take 5 s of a processor: one worker runs them all.
FAMILIES = tuple(
    f"tests/evaluation/adapters/test_{name}.py"
    for name in ("families_table", "chat_templates", "hearing", "families", "likelihood", "constraints", "sizing")
)
# Marks of tests that wait for other processes more than they compute.
WAITING = ("browser", "worker", "nginx", "postgres", "redis")
# Files of half a minute and more, which begin first: the last ones would keep a single core busy at the end.
LONGEST = (
    "seals/test_seals.py",
    "evaluation/test_crash.py",
    "evaluation/adapters/test_families_table.py",
    "evaluation/training/test_training.py",
    "test_tutorials.py",
    "humantrials/annotation/test_walk.py",
    "leaderboard/views/test_browser.py",
    "evaluation/training/test_craft_training.py",
    "humantrials/annotation/test_drawing.py",
    "benchsite/web/test_bounded_server.py",
    "bench/test_shortcuts.py",
    "deployment/test_operator_week.py",
    "test_crawl.py",
    "benchmarks/encoding/analysis/test_shots.py",
    "benchsite/backup/test_backup.py",
    "scenes/test_audit.py",
    "benchmarks/generation/test_interrupted_generation.py",
    "scenes/giraffe/test_choices.py",
    "leaderboard/board/test_live_board.py",
    "humantrials/protocols/test_annotation_stages.py",
    "humantrials/test_siege.py",
)


def keep_together(items: list[pytest.Item]) -> None:
    """Send each file, or all files that share a site, to one worker."""
    of_file: dict[str, str] = {}
    for item in items:
        file = file_of(item)
        shared = next((name for name in SITES if name in getattr(item, "fixturenames", ())), "")
        if shared:
            of_file[file] = f"{_made_in(item, shared)}:{shared}"
        elif file not in of_file:
            of_file[file] = FAMILIES[0] if file in FAMILIES else file
    for item in items:
        item.add_marker(pytest.mark.xdist_group(of_file[file_of(item)]))


def file_of(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _made_in(item: pytest.Item, fixture: str) -> str:
    """The folder of the conftest.py, or the file, that defines this fixture for the test."""
    return item._fixtureinfo.name2fixturedefs[fixture][-1].baseid  # type: ignore[attr-defined]


def take_turns(items: list[pytest.Item]) -> None:
    """Order the groups: those that wait and those that compute alternate, which keeps all cores busy.

    The longest of both begin first, and the last quarter only computes.
    """
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault(_group(item), []).append(item)
    waiting = [group for group in groups if _waits(group, groups[group])]
    computing = [group for group in groups if group not in set(waiting)]
    turn = {group: place / len(computing) for place, group in enumerate(_longest_first(computing, groups))}
    turn |= {group: 0.75 * place / len(waiting) for place, group in enumerate(_longest_first(waiting, groups))}
    items.sort(key=lambda item: turn[_group(item)])


def _group(item: pytest.Item) -> str:
    mark = item.get_closest_marker("xdist_group")
    assert mark is not None
    return str(mark.args[0])


def _waits(group: str, items: list[pytest.Item]) -> bool:
    return ":" in group or any(item.get_closest_marker(mark) for item in items for mark in WAITING)


def _longest_first(names: list[str], groups: dict[str, list[pytest.Item]]) -> list[str]:
    def place(group: str) -> int:
        files = {file_of(item).removeprefix("tests/") for item in groups[group]}
        return min((LONGEST.index(file) for file in files if file in LONGEST), default=len(LONGEST))

    return sorted(names, key=lambda group: (place(group), ":" not in group))
