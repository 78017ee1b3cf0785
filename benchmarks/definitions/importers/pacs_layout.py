"""Reads and checks the files of a PACS release; a wrong file raises one clear error."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.definitions.papers.pacs import MATERIAL, SPLITS, data_file
from benchmarks.definitions.release_bounds import file_within, json_of
from benchmarks.errors import BadRelease

OBJECTS, QUESTIONS, MATERIAL_QUESTIONS, SOURCES = (
    "objects.json",
    "questions.json",
    "mat_questions.json",
    "youtube_info.json",
)
DATA_FILES = {
    f"{data_file(split, kind)}.json": (split, kind == MATERIAL) for split in SPLITS for kind in ("pair", MATERIAL)
}
VIDEO_SIZE = (1280, 720)  # frame size in pixels to which boxes refer
Problem = tuple[str, str]


@dataclass(frozen=True)
class Datapoint:
    """One question about one pair; label 0 means the first id of the pair."""

    file: str
    split: str
    is_material: bool
    first: str
    second: str
    question: str
    text: str
    label: int | None
    channel: str = ""  # what decides it: sound, sight or both; known only for generated clips

    @property
    def pair(self) -> str:
        return f"{self.first}_{self.second}"

    def is_withheld(self, split: str) -> bool:
        """Whether its answer is withheld, if those of this split are."""
        return self.split == split and not self.is_material


@dataclass(frozen=True)
class PacsFiles:
    """Everything that was read; a missing file is an empty dictionary."""

    root: Path
    paths: tuple[Path, ...]
    datapoints: tuple[Datapoint, ...]
    objects: Mapping[str, Mapping[str, Any]]
    questions: Mapping[str, Mapping[str, Any]]
    material_questions: Mapping[str, str]
    sources: Mapping[str, Mapping[str, Any]]
    missing: tuple[str, ...]

    def clip(self, name: str) -> Path | None:
        """The clip of an object; None if the file is missing or `objects.json` doesn't describe the object."""
        if self.objects and name not in self.objects:
            return None
        return file_within(f"videos/{name}.mp4", self.root)


def read_files(root: Path) -> PacsFiles:
    """All files in `root` or its json/; at least one file of pairs must exist."""
    folder = root / "json" if (root / "json").is_dir() else root
    found = {name: folder / name for name in (*DATA_FILES, OBJECTS, QUESTIONS, MATERIAL_QUESTIONS, SOURCES)}
    there = {name: path for name, path in found.items() if path.is_file()}
    if not there.keys() & DATA_FILES.keys():
        raise BadRelease(f"{root}: no PACS questions here; expected json/val_data.json or one of the other five")
    read = {name: _dictionary(path) for name, path in there.items()}
    points = [
        point
        for name, (split, is_material) in DATA_FILES.items()
        if name in read
        for point in _datapoints(name, split, is_material, read[name])
    ]
    _refuse_twice(points)
    return PacsFiles(
        root=root,
        paths=tuple(there.values()),
        datapoints=tuple(points),
        objects=_records(read, OBJECTS),
        questions=_records(read, QUESTIONS),
        material_questions=read.get(MATERIAL_QUESTIONS, {}),
        sources=_records(read, SOURCES),
        missing=tuple(name for name in found if name not in there),
    )


class _Doubled(dict[str, Any]):
    """A JSON object with a duplicate key; a plain dict would silently keep the last value."""

    twice: str


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled, seen = _Doubled(found), set[str]()
    doubled.twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return doubled


def _refuse_doubled(where: str, read: Any) -> None:
    if isinstance(read, _Doubled):
        raise BadRelease(f"{where}: {read.twice} appears twice")


def _refuse_twice(points: list[Datapoint]) -> None:
    """Refuse the same pair and question in two files."""
    seen: dict[tuple[str, str, bool], str] = {}
    for point in points:
        first = seen.setdefault((point.pair, point.question, point.is_material), point.file)
        if first != point.file:
            raise BadRelease(f"{point.file}: {point.pair}, {point.question}: stands in {first} too")


def _dictionary(path: Path) -> dict[str, Any]:
    read = json_of(path, path.name, hook=_without_repeated_keys)
    if not isinstance(read, dict):
        raise BadRelease(f"{path.name}: a JSON object is expected, this is a {type(read).__name__}")
    _refuse_doubled(path.name, read)
    return read


def _records(read: Mapping[str, dict[str, Any]], name: str) -> dict[str, dict[str, Any]]:
    for key, record in read.get(name, {}).items():
        if not isinstance(record, dict):
            raise BadRelease(f"{name}: {key} is no JSON object")
    return read.get(name, {})


def _datapoints(file: str, split: str, is_material: bool, pairs: Mapping[str, Any]) -> list[Datapoint]:
    points = []
    for pair, questions in pairs.items():
        # Don't sort the two ids: label 0 means the id that comes first in the file.
        first, _, second = pair.partition("_")
        if not first or not second or "_" in second or first == second:
            raise BadRelease(f"{file}: {pair!r} is no pair of two objects")
        if not isinstance(questions, dict):
            raise BadRelease(f"{file}: {pair} holds no questions by id")
        _refuse_doubled(f"{file}: {pair}", questions)
        for question, record in questions.items():
            text, label = _label(f"{file}: {pair}, {question}", record)
            channel = str(record.get("channel", ""))[:20]
            points.append(Datapoint(file, split, is_material, first, second, question, text, label, channel))
    return points


def _label(where: str, record: Any) -> tuple[str, int | None]:
    if not isinstance(record, dict) or not isinstance(record.get("text"), str) or not record["text"].strip():
        raise BadRelease(f"{where}: has no text")
    label = record.get("label")
    if label is not None and (isinstance(label, bool) or label not in (0, 1)):
        raise BadRelease(f"{where}: the label is {label!r}; it must be 0 for the first object or 1 for the second")
    return record["text"], label
