"""The result of a data set's reader, and the folder written from it for `import_benchmark giraffe`."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.definitions.importers.giraffe_layout import ITEMS, MADE_HERE
from benchmarks.errors import BadRelease
from scenes.whole_files import READABLE, write_json

Problem = tuple[str, str]  # where, what
Progress = Callable[[int, int], None]
VIDEOS = (".mp4", ".avi", ".mkv", ".webm", ".mov")


@dataclass(frozen=True)
class WantedFrame:
    """A picture to extract from a video: of these moments (in seconds), the one that best fits the words."""

    video: Path
    moments: tuple[float, ...]
    phrase: str = ""


@dataclass(frozen=True)
class Draft:
    """One item before its pictures are extracted; `told` is copied into the record unchanged."""

    id: str
    dataset: str
    told: Mapping[str, Any]
    images: tuple[WantedFrame, ...]
    video: Path | None = None  # source of the item's video
    until: float | None = None  # seconds; None = all of it
    following: WantedFrame | None = None

    @property
    def moments(self) -> list[list[float]]:
        """The compared moments for each picture; empty if every picture has a single moment."""
        found = [list(picture.moments) for picture in self.images]
        return found if any(len(compared) > 1 for compared in found) else []


@dataclass(frozen=True)
class Found:
    """A reader's result; `problems` names what it left out, and why."""

    drafts: tuple[Draft, ...]
    problems: tuple[Problem, ...] = field(default=())


Best = Callable[[str, Sequence[Any]], int]  # words and pictures -> which picture fits the words best


def write_items(
    found: Found, out: Path, *, best: Best | None = None, progress: Progress | None = None
) -> tuple[int, tuple[Problem, ...]]:
    """Extract pictures, and write the records beside those of other data sets; returns (item count, problems)."""
    if (out / MADE_HERE).is_file():
        raise BadRelease(f"{out}: holds patterns that were made here; prepare data sets of others in another folder")
    datasets = {draft.dataset for draft in found.drafts}
    standing = _standing(out)
    others = [record for record in standing if record["dataset"] not in datasets]
    moments = {record.get("id"): record.get("moments") for record in standing}
    out.mkdir(parents=True, exist_ok=True)
    problems, records = list(found.problems), []
    for number, draft in enumerate(found.drafts, start=1):
        if draft.moments and moments.get(draft.id) != draft.moments:
            _forget_pictures(out / "items" / draft.id)
        records.append(_record(draft, out, best, problems))
        if progress:
            progress(number, len(found.drafts))
    write_json(out / ITEMS, [*others, *records], **READABLE)
    return len(records), tuple(problems)


def _forget_pictures(folder: Path) -> None:
    """Delete pictures chosen among other moments; older versions also compared moments of the event to predict."""
    for path in folder.glob("*.png"):
        path.unlink()


def _record(draft: Draft, out: Path, best: Best | None, problems: list[Problem]) -> dict[str, Any]:
    """The item's record; it names a picture even if its extraction failed."""
    from benchmarks.upstream.frames import Unread, cut, take

    folder = f"items/{draft.id}"
    (out / folder).mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {"id": draft.id, "dataset": draft.dataset, **draft.told, "images": []}
    if draft.moments:
        record["moments"] = draft.moments
    wanted = [*enumerate(draft.images, start=1), *([("next", draft.following)] if draft.following else [])]
    for name, one in wanted:
        path = f"{folder}/{name}.png"
        try:
            take(one, out / path, best)
        except Unread as error:
            problems.append((draft.id, f"{path}: {error}"))
        if name == "next":
            record["next"] = path
        else:
            record["images"].append(path)
    if draft.video:
        record["video"] = f"{folder}/video.mp4"
        try:
            cut(draft.video, out / record["video"], until=draft.until)
        except Unread as error:
            problems.append((draft.id, f"{record['video']}: {error}"))
    return record


def _standing(out: Path) -> list[dict[str, Any]]:
    """Records already in the folder."""
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
    except FileNotFoundError:
        raise BadRelease(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise BadRelease(f"{path}: can't be read: {error}") from None
    if not isinstance(content, kind):
        raise BadRelease(f"{path}: must be {'an object' if kind is dict else 'a list'}")
    return content


def field_of(row: Any, name: str, kind: type | tuple[type, ...], where: str) -> Any:
    """This field of a record; raises BadRelease, which names the record and the required type."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    value = row.get(name) if isinstance(row, dict) else None
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        words = {str: "a text", list: "a list", dict: "an object", int: "a number", float: "a number"}
        raise BadRelease(f"{where}: {name} must be {words[kinds[0]]}")
    return value


def video_of(folder: Path | None, name: str) -> Path:
    """The path of this video below the folder, in any container; a non-existing path if it is missing."""
    stem = Path(name).stem
    if folder is not None:
        for path in sorted(folder.rglob(f"{stem}.*")):
            if path.suffix.lower() in VIDEOS:
                return path
    return (folder or Path("videos")) / (name if Path(name).suffix else f"{name}.mp4")


def evenly(start: float, end: float, count: int) -> tuple[float, ...]:
    """The midpoints of `count` equal parts of this time span, in seconds."""
    return tuple(round(start + (end - start) * (place + 0.5) / count, 3) for place in range(count))


def chosen(drafts: Iterable[Draft], limit: int | None, seed: int) -> tuple[Draft, ...]:
    """All drafts, or `limit` of them drawn with the seed, in order; the paper does not describe its choice."""
    import random

    every = list(drafts)
    if limit is None or limit >= len(every):
        return tuple(every)
    sample = set(random.Random(f"{seed}:prepare").sample(range(len(every)), limit))  # noqa: S311
    return tuple(draft for place, draft in enumerate(every) if place in sample)
