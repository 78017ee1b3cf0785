"""Finds the folders and clips of a GRASP release, and reports oddities."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import ClipFile
from benchmarks.definitions.papers.grasp_tests import LEVEL_1, LEVEL_2
from benchmarks.definitions.release_bounds import first_few, json_of
from benchmarks.errors import BadRelease

ORDERINGS = {test.name: test for test in LEVEL_1 if test.objects}
FOLDERS = {
    "level1": (*(folder for test in LEVEL_1 for folder in test.labels), *ORDERINGS),
    "level2": tuple(f"{truth}_{test.name}" for test in LEVEL_2 for truth in ("P", "IP")),
}
NAME_OF_TEST = {folder: test.name for test in LEVEL_1 for folder in test.labels} | {
    f"{truth}_{test.name}": test.name for test in LEVEL_2 for truth in ("P", "IP")
}
# The Unity scenes' names are misspelt, and builds from the repository repeat this in their folder names.
MISSPELT = {f"RelationalPosiition{side}": f"RelationalPosition{side}" for side in ("Left", "Right")}
SHOWN = 8  # names listed in the error message about a wrong folder
CLIP_NAME = re.compile(r"\d+\.mp4")
LayoutProblem = tuple[str, str]  # where, what


@dataclass(frozen=True)
class SceneFolder:
    """One folder of clips; `name` is in the correct spelling, `path` as on disk."""

    level: str
    name: str
    path: Path


def twin_key(key: str) -> str:
    """The key of the same test and number with the other answer, for example level2/IP_Gravity/003; '' at Level 1."""
    level, _, name = key.partition("/")
    truth, joint, rest = name.partition("_")
    other = {"P": "IP", "IP": "P"}.get(truth, "") if level == "level2" else ""
    return f"{level}/{other}{joint}{rest}" if other else ""


def draw_of(key: str) -> str:
    """Level, test and number, the name of the draw that clips of all answers share, for example level2/Gravity/003."""
    level, _, rest = key.partition("/")
    folder, _, number = rest.partition("/")
    return f"{level}/{NAME_OF_TEST.get(folder, folder)}/{number}"


def find_videos(root: Path) -> Path:
    """The folder with level1/ and level2/: `root` itself, its videos/ or its data/videos/."""
    for folder in (root / "videos", root / "data" / "videos", root):
        if any((folder / level).is_dir() for level in FOLDERS):
            return folder
    inner = root / "videos" if (root / "videos").is_dir() else root
    there = ", ".join(sorted(str(path.relative_to(root)) for path in inner.glob("[!.]*"))[:SHOWN])
    expected = "expected videos/level1/<Scene>/000.mp4 or videos/level2/P_<Test>/"
    raise BadRelease(f"{root}: no GRASP videos here; {expected}, found {there or 'nothing'}")


def scene_folders(videos: Path, problems: list[LayoutProblem]) -> list[SceneFolder]:
    """The scene folders in order; unknown names become problems."""
    found: dict[tuple[str, str], SceneFolder] = {}
    for level, names in FOLDERS.items():
        for path in sorted((videos / level).glob("[!.]*")):
            name = MISSPELT.get(path.name, path.name)
            if name not in names or not path.is_dir():
                problems.append((f"{level}/{path.name}", "not a scene of GRASP; left out"))
                continue
            if name != path.name:
                problems.append((f"{level}/{path.name}", f"misspelt; read as {name}"))
            if (level, name) in found:
                raise BadRelease(f"{level}/{name} exists twice, once misspelt: keep one of the two folders")
            found[level, name] = SceneFolder(level, name, path)
    if not found:
        raise BadRelease(f"{videos}: no scene folder of GRASP in level1/ or level2/")
    return list(found.values())


def clips_of(folder: SceneFolder, videos: Path, problems: list[LayoutProblem]) -> Iterator[ClipFile]:
    """The clips of a folder, ordered by number; stray files become problems."""
    where = f"{folder.level}/{folder.path.name}"
    texts = {".txt"} if folder.name in ORDERINGS else set()
    clips = []
    for path in folder.path.glob("[!.]*"):
        if CLIP_NAME.fullmatch(path.name) and path.is_file():
            clips.append(path)
        elif CLIP_NAME.fullmatch(path.name):
            odd = "a link to nothing" if path.is_symlink() else "no file"
            problems.append((f"{where}/{path.name}", f"{odd}; left out"))
        elif path.suffix not in texts:
            problems.append((f"{where}/{path.name}", "not a clip; left out"))
    if not clips:
        problems.append((where, "no clips"))
    for path in sorted(clips, key=lambda path: (int(path.stem), path.stem)):
        made = videos.parent / "trajectories" / folder.level / folder.path.name / f"{path.stem}.json"
        yield ClipFile(
            key=f"{folder.level}/{folder.name}/{path.stem}",
            path=path,
            trajectory=made.with_suffix(".npz") if made.is_file() and made.with_suffix(".npz").is_file() else None,
            facts=_facts(made) if made.is_file() else {},
        )


def _facts(path: Path) -> dict[str, Any]:
    facts = json_of(path, path)
    if not isinstance(facts, dict):
        raise BadRelease(f"{path}: not a JSON object")
    return facts


Clips = Mapping[str, Sequence[ClipFile]]  # by folder name


def missing_parts(videos: Path, clips: Clips) -> Iterator[LayoutProblem]:
    """Everything that is missing, one line per kind and place."""
    for level, names in FOLDERS.items():
        missing = [name for name in names if not clips.get(name)]
        if len(missing) == len(names):
            yield (level, f"is not there: none of its {len(names)} scenes{_misnamed(videos, level)}")
        elif missing:
            yield (level, f"{len(missing)} of {len(names)} scenes have no clips: {first_few(missing)}")
    for name, files in clips.items():
        yield from _numbers(name, files)
    yield from _uneven(clips)
    every = [clip for files in clips.values() for clip in files]
    yield from _empty(every)
    yield from _contradictory(every)


def _misnamed(videos: Path, level: str) -> str:
    """A hint if a folder's name differs only in case."""
    found = [path.name for path in videos.iterdir() if path.name.lower() == level and path.name != level]
    return f" ({found[0]} is there: it must be called {level})" if found else ""


def _numbers(name: str, files: Sequence[ClipFile]) -> Iterator[LayoutProblem]:
    by_number: dict[int, list[str]] = defaultdict(list)
    for clip in files:
        by_number[int(clip.path.stem)].append(clip.path.name)
    for names in by_number.values():
        if len(names) > 1:
            yield (_place(files), f"{' and '.join(sorted(names))} have the same number")
    gaps = sorted(set(range(max(by_number, default=-1) + 1)) - set(by_number))
    if gaps:
        what = f"{len(gaps)} numbers are not there up to {max(by_number)}: {first_few([f'{gap:03}' for gap in gaps])}"
        yield (_place(files), what)


def _uneven(clips: Clips) -> Iterator[LayoutProblem]:
    for test in LEVEL_2:
        possible, impossible = (len(clips.get(f"{truth}_{test.name}", ())) for truth in ("P", "IP"))
        if possible and impossible and possible != impossible:
            what = f"{possible} plausible clips and {impossible} implausible ones"
            yield (f"level2/*_{test.name}", what)


def _empty(every: Sequence[ClipFile]) -> Iterator[LayoutProblem]:
    empty = [clip.key for clip in every if not clip.path.stat().st_size]
    if empty:
        yield ("videos", f"{len(empty)} of {len(every)} clips are empty (0 bytes): {first_few(empty)}")


def _contradictory(every: Sequence[ClipFile]) -> Iterator[LayoutProblem]:
    """Identical files with different answers in one test; only files of equal size are read."""
    by_size: dict[int, list[ClipFile]] = defaultdict(list)
    for clip in every:
        by_size[clip.path.stat().st_size].append(clip)
    by_bytes: dict[bytes, list[ClipFile]] = defaultdict(list)
    for size, files in by_size.items():
        for clip in files if size and len(files) > 1 else ():
            with clip.path.open("rb") as file:
                by_bytes[hashlib.file_digest(file, "sha256").digest()].append(clip)
    for same in by_bytes.values():
        folders = {folder for clip in same if (folder := clip.key.split("/")[1]) in NAME_OF_TEST}
        if len(folders) > len({NAME_OF_TEST[folder] for folder in folders}):
            what = f"the same bytes under contradictory answers: {first_few([clip.key for clip in same[1:]])}"
            yield (same[0].key, what)


def _place(files: Sequence[ClipFile]) -> str:
    return files[0].key.rpartition("/")[0]
