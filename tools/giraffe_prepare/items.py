"""The result of a data set's reader, and the folder written from it for `import_benchmark giraffe`."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.definitions.importers.giraffe import ITEMS, MADE_HERE
from benchmarks.errors import BadRelease
from scenes.whole_files import READABLE, write_json
from tools.giraffe_prepare.frames import Best, Unread, WantedFrame, cut, write_frame

Problem = tuple[str, str]  # where, what
VIDEOS = (".mp4", ".avi", ".mkv", ".webm", ".mov")


@dataclass(frozen=True)
class Draft:
    """One item before its pictures are extracted; `fields` is copied into the record unchanged."""

    id: str
    dataset: str
    fields: Mapping[str, Any]
    images: tuple[WantedFrame, ...]
    video: Path | None = None  # source of the item's video
    until: float | None = None  # seconds; None = all of it
    following: WantedFrame | None = None


@dataclass(frozen=True)
class Found:
    """A reader's result; `problems` names what it left out or what has to be looked at, and why."""

    drafts: tuple[Draft, ...]
    problems: tuple[Problem, ...] = ()


def write_items(found: Found, out: Path, *, best: Best | None = None) -> tuple[Problem, ...]:
    """Write pictures, videos and records beside those of other data sets; returns all problems."""
    if (out / MADE_HERE).is_file():
        raise BadRelease(f"{out}: holds patterns that were made here; prepare data sets of others in another folder")
    datasets = {draft.dataset for draft in found.drafts}
    others = [record for record in _existing(out) if record["dataset"] not in datasets]
    out.mkdir(parents=True, exist_ok=True)
    problems = list(found.problems)
    records = [_record(draft, out, best, problems) for draft in found.drafts]
    write_json(out / ITEMS, [*others, *records], **READABLE)
    return tuple(problems)


def _record(draft: Draft, out: Path, best: Best | None, problems: list[Problem]) -> dict[str, Any]:
    """The item's record; it names a picture or video even if its extraction failed."""
    folder = f"items/{draft.id}"
    (out / folder).mkdir(parents=True, exist_ok=True)

    def written(name: str, write: Callable[[Path], None]) -> str:
        path = f"{folder}/{name}"
        try:
            write(out / path)
        except Unread as error:
            problems.append((draft.id, f"{path}: {error}"))
        return path

    def picture(name: str, wanted: WantedFrame) -> str:
        return written(f"{name}.png", lambda path: write_frame(wanted, path, best))

    record: dict[str, Any] = {"id": draft.id, "dataset": draft.dataset, **draft.fields}
    record["images"] = [picture(str(number), wanted) for number, wanted in enumerate(draft.images, start=1)]
    if draft.following:
        record["next"] = picture("next", draft.following)
    if video := draft.video:
        record["video"] = written("video.mp4", lambda path: cut(video, path, until=draft.until))
    return record


def _existing(out: Path) -> list[dict[str, Any]]:
    path = out / ITEMS
    if not path.is_file():
        return []
    found: list[dict[str, Any]] = read_json(path, list)
    for number, record in enumerate(found, start=1):
        field_of(record, "dataset", str, f"{path}, item {number}")
    return found


def read_json(path: Path, kind: type) -> Any:
    """The file's content; raises BadRelease if it is missing, not JSON, or of another type."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadRelease(f"{path}: can't be read: {error}") from None
    if not isinstance(content, kind):
        raise BadRelease(f"{path}: must be {'an object' if kind is dict else 'a list'}")
    return content


def field_of(row: Any, name: str, kind: type, where: str) -> Any:
    """This field of a record; raises BadRelease, which names the record and the required type."""
    value = row.get(name) if isinstance(row, dict) else None
    if not isinstance(value, (int, float) if kind is float else kind) or isinstance(value, bool):
        words = {str: "a text", list: "a list", dict: "an object", int: "a number", float: "a number"}
        raise BadRelease(f"{where}: {name} must be {words[kind]}")
    return value


def video_of(folder: Path | None, name: str) -> Path:
    """The path of this video below the folder, in any container; a non-existing path if it is missing."""
    if folder is not None:
        for path in sorted(folder.rglob(f"{Path(name).stem}.*")):
            if path.suffix.lower() in VIDEOS:
                return path
    return (folder or Path("videos")) / (name if Path(name).suffix else f"{name}.mp4")


def evenly(start: float, end: float, count: int) -> tuple[float, ...]:
    """The midpoints of `count` equal parts of this time span, in seconds."""
    return tuple(round(start + (end - start) * (place + 0.5) / count, 3) for place in range(count))


def sampled(drafts: Sequence[Draft], limit: int | None, seed: int) -> tuple[Draft, ...]:
    """All drafts, or `limit` of them drawn with the seed, in order; the paper does not describe its choice."""
    import random

    if limit is None or limit >= len(drafts):
        return tuple(drafts)
    places: Iterable[int] = random.Random(f"{seed}:prepare").sample(range(len(drafts)), limit)
    return tuple(drafts[place] for place in sorted(places))
