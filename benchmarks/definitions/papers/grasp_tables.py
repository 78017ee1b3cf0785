"""Writes data/level1.csv and data/level2.csv for GRASP's own tools, with this site's statements."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from benchmarks.definitions.papers import grasp_prompts as prompts
from benchmarks.definitions.papers.grasp_tests import LEVEL_1

LEVEL_1_COLUMNS = ("scene", "video_file", "pos_observation", "neg_observation")
LEVEL_2_COLUMNS = ("scene", "video_file")
TEST_OF_FOLDER = {folder: test.name for test in LEVEL_1 for folder in test.labels} | {
    test.name: test.name for test in LEVEL_1 if test.objects
}
# The order of tools/prepare_data.py.
ORDER = (
    "Movement",
    "RelationalPosition",
    "Direction",
    "Shape",
    "Color",
    *(test.name for test in LEVEL_1 if test.objects),
)


def write_tables(items: Iterable[tuple[str, str, str, str]], folder: Path) -> int:
    """Write both tables from (key, kind, variant, text) of each question; return the number of clips in them."""
    statements: dict[str, dict[str, str]] = {}
    physics = []
    for key, kind, variant, text in items:
        if kind == "binary":
            statements.setdefault(key, {})[variant] = statement_in(text, TEST_OF_FOLDER[key.split("/")[1]])
        elif kind == "plausibility":
            physics.append((key.split("/")[1], _video(key)))
    rows = [
        (TEST_OF_FOLDER[key.split("/")[1]], _video(key), statement["true"], statement["false"])
        for key, statement in statements.items()
        if statement.keys() >= {"true", "false"}
    ]
    rows.sort(key=lambda row: ORDER.index(row[0]))
    _write(folder / "level1.csv", LEVEL_1_COLUMNS, rows)
    _write(folder / "level2.csv", LEVEL_2_COLUMNS, physics)
    return len(rows) + len(physics)


def statement_in(text: str, test: str) -> str:
    """The statement in a prompt of this test; the names of an ordering are joined by commas, as in the release."""
    pattern = "(.+?)".join(map(re.escape, prompts.LEVEL_1[test]["binary"].split("{}")))
    found = re.fullmatch(pattern, text, re.DOTALL)
    if found is None:
        raise ValueError(f"{text!r} is no question of {test}")
    return ",".join(found.groups())


def _video(key: str) -> str:
    return f"data/videos/{key}.mp4"


def _write(path: Path, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows((columns, *rows))
