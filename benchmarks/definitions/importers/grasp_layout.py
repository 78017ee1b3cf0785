"""Finds the folders and clips of a GRASP release, and reports oddities."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import ClipFile
from benchmarks.definitions.papers.grasp_tests import LEVEL_1, LEVEL_2
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


@dataclass(frozen=True)
class SceneFolder:
    """One folder of clips; `name` is in the correct spelling, `path` as on disk."""

    level: str
    name: str
    path: Path


@dataclass(frozen=True)
class LayoutProblem:
    where: str
    what: str


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
                problems.append(LayoutProblem(f"{level}/{path.name}", "not a scene of GRASP; left out"))
                continue
            if name != path.name:
                problems.append(LayoutProblem(f"{level}/{path.name}", f"misspelt; read as {name}"))
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
            problems.append(LayoutProblem(f"{where}/{path.name}", f"{odd}; left out"))
        elif path.suffix not in texts:
            problems.append(LayoutProblem(f"{where}/{path.name}", "not a clip; left out"))
    if not clips:
        problems.append(LayoutProblem(where, "no clips"))
    for path in sorted(clips, key=lambda path: (int(path.stem), path.stem)):
        made = videos.parent / "trajectories" / folder.level / folder.path.name / f"{path.stem}.json"
        yield ClipFile(
            key=f"{folder.level}/{folder.name}/{path.stem}",
            path=path,
            trajectory=made.with_suffix(".npz") if made.is_file() and made.with_suffix(".npz").is_file() else None,
            facts=_facts(made) if made.is_file() else {},
        )


def _facts(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadRelease(f"{path}: not readable as JSON ({error})") from None
    if not isinstance(facts, dict):
        raise BadRelease(f"{path}: not a JSON object")
    return facts
