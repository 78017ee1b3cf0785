"""Items of Giraffe-Bench: what was made here, and what was prepared from the public data sets. Media may be missing."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.definition import ClipFile, ClipUse, ItemRow, Release
from benchmarks.definitions.giraffe_keys import CHANGES, SCENARIOS
from benchmarks.definitions.giraffe_prompts import CHOICES, choice_query, image_query, text_query, video_query
from benchmarks.importers.giraffe_layout import PATTERNS, Files, Record, read_files

LEVELS = {"automated": "1", "human-made": "1", "activitynet": "2", "charades": "2", "clevrer": "3", "roboset": "3"}
TOLD_IN_WORDS = ("activitynet", "charades")  # as in the paper, which asks a language model about human activity alone


def read_release(root: Path) -> Release:
    """Everything that the folder at `root` holds; an item whose files are not there stands without them."""
    files = read_files(root, scenarios=tuple(value.value for value in SCENARIOS), changes=tuple(
        value.value for value in CHANGES))  # fmt: skip
    return Release(
        clips=tuple(_clips(files)),
        rows=tuple(row for record in files.records for row in rows_of(record, files)),
        problems=files.problems,
        origin="generated" if files.is_made else "official",
        profile="",
        texts=files.paths,
        root=root,
    )


def rows_of(record: Record, files: Files) -> Iterator[ItemRow]:
    """The item's questions: about pictures in a row, about a video, told in words, with four to choose from."""
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
            key=record.id, kind="choice", text=choice_query(len(record.images)), answer_kind="label", options=CHOICES,
            expected=record.answer, clips=(*images, *choices) if images and choices else (),
            facets=_facets(record, "4", f"{record.dataset}-choice"), reference=_reference(record),
        )  # fmt: skip


def _row(record: Record, kind: str, text: str, *, clip: str | None = None, clips: tuple[ClipUse, ...] = ()) -> ItemRow:
    facets = _facets(record, LEVELS[record.dataset], record.dataset)
    return ItemRow(
        key=record.id, kind=kind, text=text, answer_kind="free", options=(), expected=None, clip=clip, clips=clips,
        facets=facets, reference=_reference(record),
    )  # fmt: skip


def _facets(record: Record, level: str, test: str) -> dict[str, tuple[str, ...]]:
    facets = {"level": (level,), "test": (test,), "change": record.changes}
    return facets | ({"scenario": (record.scenario,)} if record.scenario else {})


def _reference(record: Record) -> dict[str, str]:
    """What the referee is told, and where the picture is that comes next."""
    return dict(record.told) | ({"next": record.next} if record.next else {})


def _uses(paths: tuple[str, ...], role: str, files: Files, first: int = 0) -> tuple[ClipUse, ...]:
    """The pictures in their places; none where one is missing, since a row with a gap would be another question."""
    if not all(map(files.file, paths)):
        return ()
    return tuple(ClipUse(path, role, first + place) for place, path in enumerate(paths))


def _clips(files: Files) -> Iterator[ClipFile]:
    """Each file once, though a picture may be on several questions."""
    paths = dict.fromkeys(
        path for record in files.records for path in (*record.images, record.video, record.next, *record.choices)
    )
    for path in paths:
        if found := files.file(path):
            yield ClipFile(key=path, path=found)
