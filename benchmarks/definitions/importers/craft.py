"""Imports the official release of CRAFT, and sets made by `generate_benchmark craft` in the same layout."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import ClipFile, ItemRow, Release
from benchmarks.definitions.importers.craft_layout import (
    ANNOTATIONS,
    FULL,
    MADE_HERE,
    SPLIT_FILES,
    CraftFiles,
    CraftQuestion,
    read_files,
)
from benchmarks.definitions.papers.craft_keys import OFFICIAL_SPLITS, item_key
from benchmarks.definitions.papers.craft_prompts import OPTIONS, prompt
from benchmarks.errors import BadRelease

Key = tuple[int, int]
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
        rows=tuple(row_of(one, splits.get(one.key, ())) for one in files.questions),
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
    known = {one.key for one in files.questions}
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
    programs = {str(one.key[1]): files.programs[one.key] for one in questions if one.key in files.programs}
    return ClipFile(
        video, path, record, facts | dict(files.made) | {"index": questions[0].key[0], "programs": programs}
    )


def _problems(files: CraftFiles, splits: Mapping[Key, Any]) -> Iterator[tuple[str, str]]:
    """Oddities of an importable folder."""
    for setting, name in SPLIT_FILES.items():
        if setting not in files.splits:
            yield name, "is missing: questions have no splits of this setting"
        elif left := sum(all(not place.startswith(_short(setting)) for place in places) for places in splits.values()):
            yield name, f"{left} questions are in none of its splits"
    for name in (FULL, ANNOTATIONS):
        if name not in {path.name for path in files.paths}:
            yield name, "is missing: no answer can be explained"


def _short(setting: str) -> str:
    return "easy-" if setting == "random" else "hard-"
