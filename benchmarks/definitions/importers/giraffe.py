"""Imports Giraffe-Bench's items: `items.json` and the files named in it. Media may be missing.

There is no official layout, because nothing was released. `generate_benchmark giraffe` and `tools.giraffe_prepare`
(from the public data sets) write the same one: a list of records, each with an id, its data set, its pictures and the
reference for the referee (for patterns `pattern` and `pred`, as in the paper).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from benchmarks.definitions.definition import ClipFile, ClipUse, ItemRow, Release
from benchmarks.definitions.files.table_text import parsed
from benchmarks.definitions.papers.giraffe import (
    CHANGES,
    CHOICES,
    SCENARIOS,
    choice_query,
    image_query,
    text_query,
    video_query,
)
from benchmarks.definitions.release_bounds import file_within
from benchmarks.errors import BadRelease

ITEMS, MADE_HERE = "items.json", "made_here.json"
PATTERNS = ("automated", "human-made")
TOLD = {  # the reference fields required for each data set
    "automated": ("pattern", "pred"),
    "human-made": ("pattern", "pred"),
    "activitynet": ("captions", "truth"),
    "charades": ("captions", "truth"),
    "clevrer": ("truth", "attributes"),
    "roboset": ("truth", "actions"),
}
FEWEST, MOST = 1, 12  # images of an item; patterns have 3 to 5
LONGEST_ID = 80


@dataclass(frozen=True)
class GiraffeRecord:
    """One record of `items.json`; paths are relative to the folder."""

    id: str
    dataset: str
    images: tuple[str, ...]
    video: str
    fields: Mapping[str, str]
    descriptions: tuple[str, ...] = ()  # one per picture
    next: str = ""
    choices: tuple[str, ...] = ()
    answer: str = ""
    scenario: str = ""
    changes: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(filter(None, (*self.images, self.video, self.next, *self.choices)))


@dataclass(frozen=True)
class GiraffeFiles:
    """The records that were read."""

    root: Path
    records: tuple[GiraffeRecord, ...]
    is_made: bool
    paths: tuple[Path, ...]

    def file(self, path: str) -> Path | None:
        """The full path of this file, or None if it is missing."""
        return file_within(path, self.root)


def read_files(root: Path) -> GiraffeFiles:
    """All records of the folder; BadRelease names file, item and field of the first mistake."""
    path = root / ITEMS
    try:
        rows = parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadRelease(f"{root}: no {ITEMS}; generate_benchmark giraffe or tools.giraffe_prepare writes it") from None
    except (OSError, ValueError) as error:
        raise BadRelease(f"{path}: can't be read: {error}") from None
    if not isinstance(rows, list) or not rows:
        raise BadRelease(f"{path}: must be a list of items, and not an empty one")
    records = [_record(row, f"{ITEMS}, item {number}") for number, row in enumerate(rows, start=1)]
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            raise BadRelease(f"{ITEMS}: two items have the id {record.id!r}")
        seen.add(record.id)
    made = root / MADE_HERE
    for number, record in enumerate(records, start=1):
        if made.is_file() and record.dataset not in PATTERNS:
            where = f"{ITEMS}, item {number} ({record.id})"
            raise BadRelease(f"{where}: is of {record.dataset}, and this folder holds what was made here")
    return GiraffeFiles(root, tuple(records), made.is_file(), (path, *([made] if made.is_file() else [])))


def _images(row: Any, where: str, dataset: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The images of a record and their descriptions."""
    images, descriptions = _paths(row, "images", where), _texts(row, "descriptions", where)
    if not (3 if dataset in PATTERNS else FEWEST) <= len(images) <= (5 if dataset in PATTERNS else MOST):
        raise BadRelease(f"{where}: {len(images)} images; patterns have 3 to 5, others {FEWEST} to {MOST}")
    if descriptions and len(descriptions) != len(images) and dataset == "activitynet":
        raise BadRelease(f"{where}: {len(descriptions)} descriptions of {len(images)} images")
    return images, descriptions


def _record(row: Any, where: str) -> GiraffeRecord:
    if not isinstance(row, dict):
        raise BadRelease(f"{where}: must be an object")
    name = row.get("id")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_ID:
        raise BadRelease(f"{where}: id must be a text of at most {LONGEST_ID} letters")
    where = f"{where} ({name})"
    dataset = row.get("dataset")
    if not isinstance(dataset, str) or dataset not in TOLD:
        raise BadRelease(f"{where}: dataset {dataset!r} is none of {', '.join(TOLD)}")
    images, descriptions = _images(row, where, dataset)
    choices, answer = _paths(row, "choices", where), row.get("answer") or ""
    if choices and (len(set(choices)) != len(CHOICES) or answer not in CHOICES):
        raise BadRelease(
            f"{where}: choices must be {len(CHOICES)} different files, and answer one of {', '.join(CHOICES)}"
        )
    return GiraffeRecord(
        id=name,
        dataset=dataset,
        images=images,
        video=_path(row.get("video") or "", "video", where),
        fields={name: _text(row, name, where) for name in TOLD[dataset]},
        descriptions=descriptions,
        next=_path(row.get("next") or "", "next", where),
        choices=choices,
        answer=answer,
        scenario=_one_of(row.get("scenario") or "", "scenario", where, ("", *SCENARIOS)),
        changes=tuple(_one_of(change, "changes", where, CHANGES) for change in _texts(row, "changes", where)),
    )


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadRelease(f"{where}: {name} must be a text")
    return value.strip()


def _texts(row: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    value = row.get(name) or []
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise BadRelease(f"{where}: {name} must be a list of texts")
    return tuple(value)


def _paths(row: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    return tuple(_path(path, name, where) for path in _texts(row, name, where))


def _path(value: Any, name: str, where: str) -> str:
    """The path, which must lie within the folder."""
    if not isinstance(value, str) or PurePosixPath(value).is_absolute() or ".." in PurePosixPath(value).parts:
        raise BadRelease(f"{where}: {name} names {value!r}, which is no file below the folder")
    return value


def _one_of(value: Any, name: str, where: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise BadRelease(f"{where}: {name} {value!r} is none of {', '.join(filter(None, known))}")
    return str(value)


def _missing(files: GiraffeFiles) -> Iterator[tuple[str, str]]:
    """Files that are named but missing; some media are available only from the data set's makers."""
    for record in files.records:
        for path in record.files:
            if files.file(path) is None:
                yield path, f"is missing, and is needed by item {record.id}"


LEVELS = {"automated": "1", "human-made": "1", "activitynet": "2", "charades": "2", "clevrer": "3", "roboset": "3"}
TOLD_IN_WORDS = ("activitynet", "charades")  # the paper uses the text query only for human activity


def read_release(root: Path) -> Release:
    """The release in the folder `root`; an item whose files are missing is imported without them."""
    files = read_files(root)
    return Release(
        clips=tuple(_clips(files)),
        rows=tuple(row for record in files.records for row in rows_of(record, files)),
        problems=tuple(_missing(files)),
        origin="generated" if files.is_made else "official",
        texts=files.paths,
        root=root,
    )


def rows_of(record: GiraffeRecord, files: GiraffeFiles) -> Iterator[ItemRow]:
    """The item's questions: on an image sequence, on a video, text-only, and with four pictures to choose from."""
    query = "patterns" if record.dataset in PATTERNS else record.dataset
    images = _uses(record.images, "image", files)
    if record.images:
        yield _row(record, "images", image_query(query, len(record.images)), clips=images)
    if record.video:
        yield _row(record, "video", video_query(query), clip=record.video if files.file(record.video) else None)
    if record.descriptions and record.dataset in TOLD_IN_WORDS:
        yield _row(record, "told", text_query(record.dataset, record.descriptions))
    if record.choices:
        choices = _uses(record.choices, "choice", files, first=len(record.images))
        yield _row(
            record,
            "choice",
            choice_query(len(record.images)),
            clips=(*images, *choices) if images and choices else (),
            facets=_facets(record, "4", f"{record.dataset}-choice"),
            answer_kind="label",
            options=CHOICES,
            expected=record.answer,
        )


def _row(record: GiraffeRecord, kind: str, text: str, **facts: Any) -> ItemRow:
    """A question that the referee judges, unless the facts say otherwise."""
    free = {"facets": _facets(record, LEVELS[record.dataset], record.dataset), "answer_kind": "free", "options": ()}
    return ItemRow(record.id, kind, text, **{**free, "expected": None, "reference": _reference(record)} | facts)


def _facets(record: GiraffeRecord, level: str, test: str) -> dict[str, tuple[str, ...]]:
    facets = {"level": (level,), "test": (test,), "change": record.changes}
    return facets | ({"scenario": (record.scenario,)} if record.scenario else {})


def _reference(record: GiraffeRecord) -> dict[str, str]:
    """The referee's reference, and the path of the next picture."""
    return dict(record.fields) | ({"next": record.next} if record.next else {})


def _uses(paths: tuple[str, ...], role: str, files: GiraffeFiles, first: int = 0) -> tuple[ClipUse, ...]:
    """The pictures in order; () if one is missing, since a sequence with a gap would be another question."""
    if not all(map(files.file, paths)):
        return ()
    return tuple(ClipUse(path, role, first + place) for place, path in enumerate(paths))


def _clips(files: GiraffeFiles) -> Iterator[ClipFile]:
    """Each file once, even if several questions use it."""
    for path in dict.fromkeys(path for record in files.records for path in record.files):
        if found := files.file(path):
            yield ClipFile(key=path, path=found)
