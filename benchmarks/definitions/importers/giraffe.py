"""Imports Giraffe-Bench's items, generated or prepared from the public data sets. Media may be missing."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.definitions.definition import ClipFile, ClipUse, ItemRow, Release
from benchmarks.definitions.importers.giraffe_layout import PATTERNS, GiraffeFiles, GiraffeRecord, read_files
from benchmarks.definitions.papers.giraffe_keys import CHANGES, SCENARIOS
from benchmarks.definitions.papers.giraffe_prompts import CHOICES, choice_query, image_query, text_query, video_query

LEVELS = {"automated": "1", "human-made": "1", "activitynet": "2", "charades": "2", "clevrer": "3", "roboset": "3"}
TOLD_IN_WORDS = ("activitynet", "charades")  # the paper uses the text query only for human activity


def read_release(root: Path) -> Release:
    """The release in the folder `root`; an item whose files are missing is imported without them."""
    files = read_files(root, scenarios=SCENARIOS, changes=CHANGES)
    return Release(
        clips=tuple(_clips(files)),
        rows=tuple(row for record in files.records for row in rows_of(record, files)),
        problems=files.problems,
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
        yield ItemRow(
            key=record.id,
            kind="choice",
            text=choice_query(len(record.images)),
            answer_kind="label",
            options=CHOICES,
            expected=record.answer,
            clips=(*images, *choices) if images and choices else (),
            facets=_facets(record, "4", f"{record.dataset}-choice"),
            reference=_reference(record),
        )


def _row(
    record: GiraffeRecord, kind: str, text: str, *, clip: str | None = None, clips: tuple[ClipUse, ...] = ()
) -> ItemRow:
    facets = _facets(record, LEVELS[record.dataset], record.dataset)
    return ItemRow(
        key=record.id,
        kind=kind,
        text=text,
        answer_kind="free",
        options=(),
        expected=None,
        clip=clip,
        clips=clips,
        facets=facets,
        reference=_reference(record),
    )


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
    paths = dict.fromkeys(
        path for record in files.records for path in (*record.images, record.video, record.next, *record.choices)
    )
    for path in paths:
        if found := files.file(path):
            yield ClipFile(key=path, path=found)
