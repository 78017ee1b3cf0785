"""Imports the official release of CRAFT, and sets made by `generate_benchmark craft` in the same layout."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import ClipFile, ItemRow, Release
from benchmarks.definitions.papers.craft import OFFICIAL_SPLITS, OPTIONS, TEST, TRAIN, VALIDATION, item_key, prompt
from benchmarks.definitions.release_bounds import json_of
from benchmarks.errors import BadRelease
from scenes.craft.records import BadRecord, case_from

MINIMAL, FULL, ANNOTATIONS = "dataset_minimal.json", "dataset.json", "annotations.json"
MADE_HERE = "made_here.json"  # seed and profile, written by `generate_benchmark craft`
SPLIT_FILES = {"random": "split_info_random.json", "hard": "split_info_hard.json"}
QUESTION_TYPES = ("Descriptive", "Counterfactual", "Cause", "Enable", "Prevent")
SCENES = 20
VIDEO = re.compile(r"(?:\./)?(videos/sid_(\d{1,2})/(\d{6})\.(?:mpg|mp4))")
TEMPLATE = re.compile(r"[a-z]+_\d{1,2}")
WANTED: dict[str, type | tuple[type, ...]] = {
    "question": str,
    "answer": (str, bool, int),
    "answer_type": str,
    "video_file_path": str,
    "video_index": int,
    "question_index": int,
    "template_id": str,
    "simulation_id": (str, int),
    "question_type": str,
}
Key = tuple[int, int]

NO_QUESTION = (
    "no video has a question: of each kind in each scene balancing keeps as many of each answer as of the rarest, "
    "so that one video is left none (generate_benchmark craft --count makes more)"
)


@dataclass(frozen=True)
class CraftQuestion:
    """One question of `dataset_minimal.json`, with its answer in lower case."""

    key: Key  # video and question index
    text: str
    answer: str
    answer_type: str
    question_type: str
    template: str
    scene: int
    file: str  # path of the video, relative to the release's folder

    @property
    def video(self) -> str:
        """The official key of its clip: `sid_14/006512`."""
        return "/".join(Path(self.file).with_suffix("").parts[-2:])


@dataclass(frozen=True)
class CraftFiles:
    """Everything that was read; a missing file leaves its field empty."""

    root: Path
    paths: tuple[Path, ...]
    questions: tuple[CraftQuestion, ...]
    splits: Mapping[str, Mapping[str, tuple[Key, ...]]]
    made: Mapping[str, Any] = field(default_factory=dict)

    def clip(self, one: CraftQuestion) -> Path:
        return self.root / one.file

    def record(self, one: CraftQuestion) -> Path | None:
        """The file with the recorded events of a generated video, None for official ones; BadRelease if broken."""
        if not self.made:
            return None
        path = self.root / "intermediates" / Path(one.file).relative_to("videos").with_suffix(".json")
        if not path.is_file():
            raise BadRelease(f"{path.relative_to(self.root)}: missing")
        try:
            case_from(json_of(path, path.relative_to(self.root)))
        except BadRecord as error:
            raise BadRelease(f"{path.relative_to(self.root)}: {error}") from None
        return path

    @cached_property
    def programs(self) -> dict[Key, list[dict[str, Any]]]:
        """The program of each question, from `dataset.json`."""
        if not (self.root / FULL).is_file():
            return {}
        try:
            return {
                (one["video_index"], one["question_index"]): [
                    {name: step[name] for name in ("type", "inputs", "value_inputs")} for step in one["program"]
                ]
                for video in json_of(self.root / FULL, FULL)
                for one in video["questions"]["questions"]
            }
        except (KeyError, TypeError) as error:
            raise BadRelease(f"{FULL}: not the questions of each video with their programs ({error!r})") from None


def read_files(root: Path) -> CraftFiles:
    """All files of the release at `root`; the questions and all their videos must exist."""
    if not (root / MINIMAL).is_file():
        raise BadRelease(f"{root}: no {MINIMAL} here, so no release of CRAFT")
    records = json_of(root / MINIMAL, MINIMAL)
    if not isinstance(records, list) or not records:
        raise BadRelease(f"{MINIMAL}: {NO_QUESTION if records == [] else 'a list of questions is expected'}")
    questions = tuple(_question(record, number) for number, record in enumerate(records, 1))
    _refuse_twice(questions)
    _refuse_missing(questions, root)
    paths = (root / name for name in (MINIMAL, FULL, ANNOTATIONS, *SPLIT_FILES.values(), MADE_HERE))
    made = json_of(root / MADE_HERE, MADE_HERE) if (root / MADE_HERE).is_file() else {}
    if not isinstance(made, dict):
        raise BadRelease(f"{MADE_HERE}: seed and profile are expected")
    return CraftFiles(
        root=root,
        paths=tuple(path for path in paths if path.is_file()),
        questions=questions,
        splits={setting: _split(root / name) for setting, name in SPLIT_FILES.items() if (root / name).is_file()},
        made=made,
    )


def _question(record: Any, number: int) -> CraftQuestion:
    where = f"{MINIMAL}: question {number}"
    if not isinstance(record, dict):
        raise BadRelease(f"{where}: is no JSON object")
    for name, kind in WANTED.items():
        if not isinstance(record.get(name), kind):
            raise BadRelease(f"{where}: {name} is {record.get(name)!r}")
    path = VIDEO.fullmatch(record["video_file_path"])
    if not path or not 1 <= int(path[2]) <= SCENES or str(record["simulation_id"]) != path[2]:
        raise BadRelease(f"{where}: {record['video_file_path']!r} is no video of scene {record['simulation_id']}")
    if int(path[3]) != record["video_index"]:
        raise BadRelease(f"{where}: video_index {record['video_index']} and {path[1]} are two videos")
    if not TEMPLATE.fullmatch(record["template_id"]):
        raise BadRelease(f"{where}: template_id is {record['template_id']!r}")
    return CraftQuestion(
        key=(record["video_index"], record["question_index"]),
        text=record["question"].strip(),
        answer=_answer(record, where),
        answer_type=record["answer_type"],
        question_type=_one_of(record["question_type"], QUESTION_TYPES, f"{where}: question_type"),
        template=record["template_id"],
        scene=int(path[2]),
        file=path[1],
    )


def _answer(record: Mapping[str, Any], where: str) -> str:
    options = OPTIONS[_one_of(record["answer_type"], tuple(OPTIONS), f"{where}: answer_type")]
    return _one_of(str(record["answer"]).casefold(), options, f"{where}: answer")


def _one_of(value: str, options: tuple[str, ...], where: str) -> str:
    if value not in options:
        raise BadRelease(f"{where} is {value!r}; there is: {', '.join(options)}")
    return value


def _refuse_twice(questions: tuple[CraftQuestion, ...]) -> None:
    seen: set[Key] = set()
    for question in questions:
        if question.key in seen:
            raise BadRelease(f"{MINIMAL}: video {question.key[0]}, question {question.key[1]}: appears twice")
        seen.add(question.key)


def _refuse_missing(questions: tuple[CraftQuestion, ...], root: Path) -> None:
    missing = sorted({question.file for question in questions if not (root / question.file).is_file()})
    if missing:
        others = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise BadRelease(f"{missing[0]}: missing{others}")


def _split(path: Path) -> dict[str, tuple[Key, ...]]:
    read = json_of(path, path.name)
    try:
        return {
            name: tuple((int(one["video_index"]), int(one["question_index"])) for one in read[name])
            for name in (TRAIN, VALIDATION, TEST)
        }
    except (KeyError, TypeError, ValueError) as error:
        raise BadRelease(f"{path.name}: not the three splits of a setting ({error!r})") from None


OFFICIAL = MADE_HERE, "is not there: an official release, whose videos are shown without what happened in them"


def read_release(root: Path) -> Release:
    """The release in the folder `root`; questions get splits in both settings if the split files exist."""
    files = read_files(root)
    splits = splits_of(files)
    questions_of: dict[str, list[CraftQuestion]] = {}
    for one in files.questions:
        questions_of.setdefault(one.video, []).append(one)
    return Release(
        clips=tuple(_clip(files, video, questions) for video, questions in questions_of.items()),
        rows=tuple(row_of(question, splits.get(question.key, ())) for question in files.questions),
        problems=tuple(_problems(files, splits)),
        notes=() if files.made else (OFFICIAL,),
        origin="generated" if files.made else "official",
        profile="-".join(filter(None, (str(files.made.get("profile", "")), files.made.get("shares") and "shares"))),
        texts=files.paths,
        root=root,
    )


def row_of(one: CraftQuestion, splits: Iterable[str]) -> ItemRow:
    """One question with its prompt; answers are in lower case, as CRAFT's scorer compares them."""
    return ItemRow(
        key=item_key(*one.key),
        kind="question",
        text=prompt(one.text, one.answer_type),
        answer_kind="label",
        options=OPTIONS[one.answer_type],
        expected=one.answer,
        clip=one.video,
        facets={
            "level": ("1",),
            "test": (one.question_type,),
            "answer": (one.answer_type,),
            "scene": (f"scene-{one.scene}",),
            "template": (one.template,),
        },
        splits=(*splits, "all"),
    )


def splits_of(files: CraftFiles) -> dict[Key, tuple[str, ...]]:
    """The splits of each question; raises BadRelease for unknown questions and two splits in one setting."""
    known = {question.key for question in files.questions}
    found: dict[Key, dict[str, str]] = {key: {} for key in known}
    for name, (setting, split) in OFFICIAL_SPLITS.items():
        for key in files.splits.get(setting, {}).get(split, ()):
            where = f"{SPLIT_FILES[setting]}: video {key[0]}, question {key[1]}"
            if key not in known:
                raise BadRelease(f"{where}: is not in the questions of this release")
            if setting in found[key]:
                raise BadRelease(f"{where}: appears twice")
            found[key][setting] = name
    return {key: tuple(places.values()) for key, places in found.items()}


def _clip(files: CraftFiles, video: str, questions: list[CraftQuestion]) -> ClipFile:
    """One clip; a generated clip includes its record of events and its questions' programs."""
    path = files.clip(questions[0])
    facts: dict[str, object] = {"scene": questions[0].scene}
    record = files.record(questions[0])
    if record is None:
        return ClipFile(key=video, path=path, facts=facts)
    programs = {
        str(question.key[1]): files.programs[question.key] for question in questions if question.key in files.programs
    }
    return ClipFile(
        video, path, record, facts | dict(files.made) | {"index": questions[0].key[0], "programs": programs}
    )


def _problems(files: CraftFiles, splits: Mapping[Key, Any]) -> Iterator[tuple[str, str]]:
    """Oddities of an importable folder."""
    for setting, name in SPLIT_FILES.items():
        own = {split for split, (of, _) in OFFICIAL_SPLITS.items() if of == setting}
        if setting not in files.splits:
            yield name, "is missing: questions have no splits of this setting"
        elif left := sum(own.isdisjoint(places) for places in splits.values()):
            yield name, f"{left} questions are in none of its splits"
    for name in (FULL, ANNOTATIONS):
        if name not in {path.name for path in files.paths}:
            yield name, "is missing: no answer can be explained"
