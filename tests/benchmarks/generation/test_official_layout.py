"""Reimplements how the official `prepare_data` reads a folder of videos, and applies it to a tiny generated release."""

import csv
import os
import random
from pathlib import Path

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.generation.generate import generate
from scenes.registry import SCENES

pytestmark = pytest.mark.render
GROUPS = {
    "Movement": ["moving", "not moving"],
    "RelationalPosition": ["left", "right"],
    "Direction": ["forward", "backward", "left", "right"],
    "Shape": ["ball", "cube"],
    "Color": ["red", "green", "blue", "black"],
}
MOVEMENT = {"true": "moving", "false": "not moving"}
ORDERINGS = {"TwoObjectOrdering": 2, "ThreeObjectOrdering": 3, "FourObjectOrdering": 4}


def videos_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.mp4"), key=lambda path: int(path.stem))


def level_1_rows(root: Path) -> list[list[str]]:
    """One row a video: scene group, file, true and false statement; a folder belongs to the group in its name."""
    rows = []
    for group, labels in GROUPS.items():
        for folder in (name for name in os.listdir(root) if group in name):
            label = folder.removeprefix(group).lower()
            label = MOVEMENT.get(label, label)
            others = [other for other in labels if other != label]
            assert len(others) == len(labels) - 1, f"{folder}: {label!r} is no label of {group}"
            rows += [[group, str(path), label, random.choice(others)] for path in videos_of(root / folder)]
    for group, objects in ORDERINGS.items():
        for path in videos_of(root / group):
            first_line = path.with_suffix(".txt").read_text().split("\n")[0]
            items = first_line[:-1].split(",")[-objects:]  # without the trailing comma
            assert len(items) == objects
            shuffled = items[:]
            while shuffled == items:
                random.shuffle(shuffled)
            rows.append([group, str(path), ",".join(items), ",".join(shuffled)])
    return rows


def level_2_rows(root: Path) -> list[list[str]]:
    return [[folder, str(path)] for folder in os.listdir(root) for path in videos_of(root / folder)]


@pytest.fixture(scope="module")
def videos(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("official")
    generate(BENCHMARKS["grasp"], out, count=1, seed=6, size=(48, 36), fps=1)
    return out / "videos"


def test_every_folder_that_can_be_made_is_found(videos, tmp_path):
    rows = level_1_rows(videos / "level1")
    found = {Path(row[1]).parent.name for row in rows}
    assert found == {folder for folder, kind in SCENES.items() if kind.level == 1}
    assert len(found) == 17
    physics = level_2_rows(videos / "level2")
    assert {row[0] for row in physics} == {folder for folder, kind in SCENES.items() if kind.level == 2}
    with (tmp_path / "level1.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)  # labels with commas in them survive
    with (tmp_path / "level1.csv").open(newline="") as file:
        assert list(csv.reader(file)) == rows


def test_names_are_numbers_of_three_digits_and_only_orderings_have_texts(videos):
    for path in videos.rglob("*.*"):
        assert path.stem.isdigit()
        assert len(path.stem) == 3
        assert path.suffix == ".mp4" or path.parent.name in ORDERINGS
    for name in ORDERINGS:
        text = (videos / "level1" / name / "000.txt").read_text()
        assert text.endswith(",")
        assert "\n" not in text


def test_labels_are_those_that_the_clips_were_made_for(videos):
    for group, file, true, false in level_1_rows(videos / "level1"):
        kind = SCENES[Path(file).parent.name]
        assert true != false
        assert true == MOVEMENT.get(kind.label, kind.label) or group in ORDERINGS
    for folder, _ in level_2_rows(videos / "level2"):
        assert SCENES[folder].label == ("plausible" if folder.startswith("P") else "implausible")
