"""The official release of CRAFT, and what `generate_benchmark craft` writes in the same layout."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.definition import ClipFile, ItemRow, Release
from benchmarks.definitions.craft_keys import OFFICIAL_SPLITS, item_key
from benchmarks.definitions.craft_prompts import OPTIONS, prompt
from benchmarks.errors import BadRelease
from benchmarks.importers.craft_layout import ANNOTATIONS, FULL, MADE_HERE, SPLIT_FILES, Asked, Files, read_files

Key = tuple[int, int]


def read_release(root: Path) -> Release:
    """Everything that the folder at `root` holds; each question stands in both settings' splits where there are any."""
    files = read_files(root)
    splits = splits_of(files)
    asked_of: dict[str, list[Asked]] = {}
    for one in files.asked:
        asked_of.setdefault(one.video, []).append(one)
    return Release(
        clips=tuple(_clip(files, video, asked) for video, asked in asked_of.items()),
        rows=tuple(row_of(one, splits.get(one.key, ())) for one in files.asked),
        problems=tuple(_problems(files, splits)),
        origin="generated" if files.made else "official",
        profile=str(files.made.get("profile", "")),
        texts=files.paths,
        root=root,
    )


def row_of(one: Asked, splits: Iterable[str]) -> ItemRow:
    """One question in the words that models are asked in; answers are compared in lower case, as its scorer does."""
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


def splits_of(files: Files) -> dict[Key, tuple[str, ...]]:
    """Where each question stands in either setting; others than the release's are refused, and so is a second place."""
    known = {one.key for one in files.asked}
    found: dict[Key, dict[str, str]] = {key: {} for key in known}
    for name, (setting, split) in OFFICIAL_SPLITS.items():
        for key in files.splits.get(setting, {}).get(split, ()):
            where = f"{SPLIT_FILES[setting]}: video {key[0]}, question {key[1]}"
            if key not in known:
                raise BadRelease(f"{where}: is not in the questions of this release")
            if setting in found[key]:
                raise BadRelease(f"{where}: stands there twice")
            found[key][setting] = name
    return {key: tuple(places.values()) for key, places in found.items()}


def _clip(files: Files, video: str, asked: list[Asked]) -> ClipFile:
    """A clip that was made here comes with what happened in it, and with what each question was made from."""
    path = files.clip(asked[0])
    facts: dict[str, object] = {"scene": asked[0].scene}
    record = files.record(asked[0])
    if record is None:
        return ClipFile(key=video, path=path, facts=facts)
    programs = {str(one.key[1]): files.programs[one.key] for one in asked if one.key in files.programs}
    return ClipFile(video, path, record, facts | dict(files.made) | {"index": asked[0].key[0], "programs": programs})


def _problems(files: Files, splits: Mapping[Key, Any]) -> Iterator[tuple[str, str]]:
    """What is odd about the folder, though it can be read."""
    for setting, name in SPLIT_FILES.items():
        if setting not in files.splits:
            yield name, "is missing: questions have no splits of this setting"
        elif left := sum(all(not place.startswith(_short(setting)) for place in places) for places in splits.values()):
            yield name, f"{left} questions are in none of its splits"
    for name in (FULL, ANNOTATIONS):
        if name not in {path.name for path in files.paths}:
            yield name, "is missing: no answer can be explained"
    if not files.made:
        yield MADE_HERE, "is not there: an official release, whose videos are shown without what happened in them"


def _short(setting: str) -> str:
    return "easy-" if setting == "random" else "hard-"
