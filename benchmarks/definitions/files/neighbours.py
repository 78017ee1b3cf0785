"""Reads the folders of IntPhys 2, Minimal Video Pairs and CausalVQA in their authors' layouts."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.definitions.definition import ClipFile, ItemRow, Release
from benchmarks.definitions.files.compile import BenchmarkText
from benchmarks.definitions.files.items_table import letters, with_letters
from benchmarks.definitions.files.schema import BadDefinition, Mistake
from benchmarks.definitions.files.table_text import csv_table, json_rows, text_of
from benchmarks.definitions.release_bounds import WORDS, file_within, is_storable
from benchmarks.errors import BadRelease

Cells = dict[str, str]
Gap = tuple[str, str]

# --- IntPhys 2: <split>/metadata.csv and <split>/Videos/, four videos a scene ---

INTPHYS2 = {"debug": "Debug", "main": "Main", "held-out": "Held-out"}
PLACES = {"1_Possible": 1, "1_Impossible": 2, "2_Possible": 3, "2_Impossible": 4}
NAMES = ("filename", "name", "file_name")  # the official scripts, its notebook, the copy on the hub
# As the authors' notebook groups the columns condition, game_name and env of Main; the hub's copy has own columns.
MERGED = {"immutability_texture": "immutability", "continuity_swap": "continuity"}
FIXED = "FixedMarryPoppins FixedJumpSolidity RotatingCup HotAirBallon SphereFallingDown SolidityFallingFlat"
MOVING = (
    "SphereFallingDownSoldity BoxSoldity Scaffoling CameraSolidity JumpSolidity Box MovingAroundOccluder JailStone"
    " PrisonCell Restaurant"
)
CAMERAS = dict.fromkeys(FIXED.split(), "Fixed") | dict.fromkeys(MOVING.split(), "Moving")
MEDIUM = ["SaltFlats_0", "DesertMap_0", "RaceTrack_0", "TropicalIsland_0"]
HARD = ["PLVDaylight_0", "Egypt_0", "RuralAustralia03_0", "ParkingGarage_0", "None"]
DIFFICULTIES = {"BasicLevel_0": "Easy"} | dict.fromkeys(MEDIUM, "Medium") | dict.fromkeys(HARD, "Hard")


def read_intphys2(own: BenchmarkText, root: Path) -> Release:
    """Each video with its question. A scene is a quad, or one quad per rendering. The held-out split has no `type`."""
    found = [(split, root / name) for split, name in INTPHYS2.items() if (root / name / "metadata.csv").is_file()]
    if not found:
        there = ", ".join(f"{name}/metadata.csv" for name in INTPHYS2.values())
        raise BadRelease(f"{root}: is no folder of IntPhys 2; one of these is needed: {there}")

    def videos() -> Iterator[VideoRows]:
        for split, folder in found:
            for line, cells in _table(folder / "metadata.csv", ("SceneIndex",)):
                row, path = _intphys2_row(own.kinds["possible"].question, split, folder, line, cells)
                yield [row], path, (row.key, MISSING)

    release = _release(root, (folder / "metadata.csv" for _, folder in found), videos())
    return replace(release, rows=_quads(release.rows))


def _quads(rows: Iterable[ItemRow]) -> tuple[ItemRow, ...]:
    """The rows, in one group per rendering of a scene: the n-th video of each type, by name, is in the n-th quad."""
    rows, quads = list(rows), {}
    seen: Counter[tuple[str, int]] = Counter()
    for row in sorted(rows, key=lambda row: row.key):
        seen[row.group, row.place] += 1
        rendering = seen[row.group, row.place]
        quads[row.key] = row if rendering == 1 else replace(row, group=f"{row.group}/{rendering}")
    return tuple(quads[row.key] for row in rows)


def _intphys2_row(question: str, split: str, folder: Path, line: int, cells: Cells) -> tuple[ItemRow, Path | None]:
    name = next((cells[column] for column in NAMES if cells.get(column)), "")
    if not name:
        raise _wrong(folder / "metadata.csv", line, NAMES[0], "names no video")
    kind, scene = cells.get("type", ""), cells["SceneIndex"]
    if kind not in PLACES and (kind or split != "held-out"):
        raise _wrong(folder / "metadata.csv", line, "type", f"{kind!r} is none of {', '.join(PLACES)}")
    stem = name.removesuffix(".mp4")
    row = ItemRow(
        key=f"{split}/{stem}",
        kind="possible",
        text=question,
        answer_kind="yes-no",
        options=("yes", "no"),
        expected=("yes" if kind.endswith("_Possible") else "no") if kind else None,
        clip=f"{split}/{stem}",
        facets={"level": ("1",), **_intphys2_facets(cells)},
        splits=(split,),
        group=f"{split}/{scene}",
        place=PLACES.get(kind, line),  # without `type`: in the order of the lines
    )
    return row, file_within(f"Videos/{stem}.mp4", folder) or file_within(f"{stem}.mp4", folder)


def _intphys2_facets(cells: Cells) -> dict[str, tuple[str, ...]]:
    """Condition, camera and difficulty of a video, as far as the row tells."""
    raw = cells.get("condition", "")
    found = {
        "test": MERGED.get(raw, raw),
        "camera": cells.get("Camera") or CAMERAS.get(cells.get("game_name", ""), ""),
        "difficulty": cells.get("Difficulty") or DIFFICULTIES.get(cells.get("env", ""), ""),
    }
    return {facet: (value,) for facet, value in found.items() if value}


# --- Minimal Video Pairs: [mvp_][mini_]<task>.jsonl or .csv, and videos/ ---

TASKS = ("human_object_interactions", "robot_object_interactions", "intuitive_physics", "temporal_reasoning")
MVP_COLUMNS = ("video_id", "video_path", "source", "question", "candidates", "answer")
MVP_FILE = re.compile(rf"(?:mvp_)?(mini_)?({'|'.join(TASKS)})\.(?:csv|jsonl)")


def read_mvp(own: BenchmarkText, root: Path) -> Release:
    """Each video with its question; two videos form a pair. The videos come from nine other data sets."""
    files = [(path, match) for path in sorted(root.iterdir()) if (match := MVP_FILE.fullmatch(path.name))]
    if not files:
        raise BadRelease(f"{root}: is no folder of MVP; it needs mvp_TASK.jsonl, TASK one of {', '.join(TASKS)}")

    def videos() -> Iterator[VideoRows]:
        for path, match in files:
            split, task = ("mini" if match[1] else "full"), match[2]
            for line, cells in _table(path, MVP_COLUMNS):
                video = file_within(f"videos/{cells['video_path']}", root)
                gap = cells["video_path"], f"the video of {cells['source']} is missing"
                yield [_mvp_row(path, line, cells, split, task)], video, gap

    return _release(root, (path for path, _ in files), videos())


def _mvp_row(path: Path, line: int, cells: Cells, split: str, task: str) -> ItemRow:
    pair, _, place = cells["video_id"].rpartition("_")
    if not pair or place not in ("1", "2"):
        raise _wrong(path, line, "video_id", f"{cells['video_id']!r} is no PAIR_1 or PAIR_2")
    candidates = _candidate_list(cells["candidates"])
    if len(candidates) != 2 or cells["answer"] not in candidates:
        raise _wrong(path, line, "answer", f"{cells['answer'][:60]!r} is none of the two candidates")
    return ItemRow(
        key=f"{split}/{task}/{cells['video_id']}",
        kind="pair",
        text=_with_options(cells["question"], candidates),
        answer_kind="label",
        options=("a", "b"),
        expected=letters(candidates)[candidates.index(cells["answer"])],
        clip=f"videos/{cells['video_path']}",
        facets={"level": ("1",), "test": (task,), "source": (cells["source"],)},
        splits=(split,),
        group=f"{split}/{task}/{pair}",
        place=int(place),
    )


def _candidate_list(text: str) -> tuple[str, ...]:
    """The candidates, given as a list or as the list's text."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return ()
    return tuple(map(str, found)) if isinstance(found, list | tuple) else ()


# --- CausalVQA: [data/]debug/ and [data/]test/, each with one CSV and videos/ ---

CAUSALVQA = ("debug", "test")
CHOICE = re.compile(r"\s*(\d)\.?\s*(.*\S)\s*", re.S)
CAUSALVQA_COLUMNS = ("qid", "type", "question", "choices1", "choices2", "difficulty", "renamed_video")


def read_causalvqa(own: BenchmarkText, root: Path) -> Release:
    """Each question twice, with its own and with the perturbed choices; the test split's answers are withheld."""
    data = root / "data" if (root / "data").is_dir() else root
    files = [(split, path) for split in CAUSALVQA for path in sorted((data / split).glob("*.csv"))]
    if not files:
        raise BadRelease(f"{root}: is no folder of CausalVQA; it needs debug/*.csv or test/*.csv")

    def videos() -> Iterator[VideoRows]:
        for split, path in files:
            for line, cells in _table(path, CAUSALVQA_COLUMNS):
                video = file_within(f"{split}/videos/{cells['renamed_video']}", data)
                rows = [_causalvqa_row(path, line, cells, split, version) for version in (1, 2)] if video else []
                yield rows, video, (f"{split}/{cells['renamed_video']}", MISSING)

    return _release(root, (path for _, path in files), videos())


def _causalvqa_row(path: Path, line: int, cells: Cells, split: str, version: int) -> ItemRow:
    choices = [CHOICE.fullmatch(part) for part in cells[f"choices{version}"].split("|")]
    if not 2 <= len(choices) <= 5 or not all(choices):
        raise _wrong(path, line, f"choices{version}", "needs two to five choices, as `1. TEXT|2. TEXT`")
    texts = tuple(match[2] for match in choices if match)
    by_number = dict(zip((match[1] for match in choices if match), letters(texts), strict=True))
    right = cells.get(f"correct{version}", "").strip().removesuffix(".0")
    if right not in by_number and (right or split != "test"):
        raise _wrong(path, line, f"correct{version}", f"{right!r} is the number of no choice")
    return ItemRow(
        key=f"{split}/{cells['qid']}/{version}",
        kind="choice",
        text=_with_options(cells["question"], texts),
        answer_kind="label",
        options=letters(texts),
        expected=by_number.get(right),
        clip=f"{split}/{cells['renamed_video']}",
        facets={"level": ("1",), "test": (cells["type"].lower(),), "difficulty": (cells["difficulty"].lower(),)},
        splits=(split,),
        group=f"{split}/{cells['qid']}",
        place=version,
    )


# --- Tables ---

VideoRows = tuple[list[ItemRow], Path | None, Gap]  # questions about a video, its file, and what its lack is called
MISSING = "the video is missing"


def _release(root: Path, texts: Iterable[Path], videos: Iterable[VideoRows]) -> Release:
    """The questions of the videos that are there; the others are gaps."""
    rows: list[ItemRow] = []
    clips: dict[str, ClipFile] = {}
    gaps = []
    for own, video, gap in videos:
        if video is None:
            gaps.append(gap)
        else:
            rows += own
            clips |= {row.clip: ClipFile(row.clip, video) for row in own if row.clip}
    return Release(tuple(clips.values()), tuple(rows), gaps=tuple(gaps), texts=tuple(texts), root=root)


def _with_options(question: str, options: tuple[str, ...]) -> str:
    """As the tasks of MVP and CausalVQA write both."""
    return with_letters(f"{question}\nOption:", options)


def _table(path: Path, needed: Iterable[str]) -> Iterator[tuple[int, Cells]]:
    """(line, cells) of a CSV or JSON Lines file with these required columns."""
    text = text_of(path)
    rows = _of_lines(path, text) if path.suffix == ".jsonl" else csv_table(path.name, text)[1]
    for line, cells in rows:
        if missing := [name for name in needed if name not in cells]:
            raise _wrong(path, line, missing[0], "this column is missing")
        if wrong := next((name for name, value in cells.items() if not is_storable(value)), None):
            raise _wrong(path, line, wrong, WORDS)
        yield line, {name: value.strip() for name, value in cells.items() if name}


def _of_lines(path: Path, text: str) -> Iterator[tuple[int, Cells]]:
    for line, row in json_rows(path.name, text):
        yield line, {name: value if isinstance(value, str) else repr(value) for name, value in row.items()}


def _wrong(path: Path, line: int, column: str, what: str) -> BadDefinition:
    return BadDefinition([Mistake(line, column, what)], path.name)
