"""Finds what is missing from a GRASP release (scenes, numbers, bytes), for the summary before an import."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.definitions.definition import ClipFile
from benchmarks.definitions.importers.grasp_layout import FOLDERS, LayoutProblem
from benchmarks.definitions.papers.grasp_tests import LEVEL_1, LEVEL_2

FEW = 6  # names listed before the rest is counted
ANSWERS = {folder: (test.name, folder) for test in LEVEL_1 for folder in test.labels}
ANSWERS |= {f"{truth}_{test.name}": (test.name, truth) for test in LEVEL_2 for truth in ("P", "IP")}

Clips = Mapping[str, Sequence[ClipFile]]  # by folder name


def missing_parts(videos: Path, clips: Clips) -> Iterator[LayoutProblem]:
    """Everything that is missing, one line per kind and place."""
    for level, names in FOLDERS.items():
        missing = [name for name in names if not clips.get(name)]
        if len(missing) == len(names):
            yield LayoutProblem(level, f"is not there: none of its {len(names)} scenes{_misnamed(videos, level)}")
        elif missing:
            yield LayoutProblem(level, f"{len(missing)} of {len(names)} scenes have no clips: {_few(missing)}")
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
            yield LayoutProblem(_place(files), f"{' and '.join(sorted(names))} have the same number")
    gaps = sorted(set(range(max(by_number, default=-1) + 1)) - set(by_number))
    if gaps:
        what = f"{len(gaps)} numbers are not there up to {max(by_number)}: {_few([f'{gap:03}' for gap in gaps])}"
        yield LayoutProblem(_place(files), what)


def _uneven(clips: Clips) -> Iterator[LayoutProblem]:
    for test in LEVEL_2:
        possible, impossible = (len(clips.get(f"{truth}_{test.name}", ())) for truth in ("P", "IP"))
        if possible and impossible and possible != impossible:
            what = f"{possible} plausible clips and {impossible} implausible ones"
            yield LayoutProblem(f"level2/*_{test.name}", what)


def _empty(every: Sequence[ClipFile]) -> Iterator[LayoutProblem]:
    empty = [clip.key for clip in every if not clip.path.stat().st_size]
    if empty:
        yield LayoutProblem("videos", f"{len(empty)} of {len(every)} clips are empty (0 bytes): {_few(empty)}")


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
        answers = {ANSWERS[folder] for clip in same if (folder := clip.key.split("/")[1]) in ANSWERS}
        if len(answers) > len({test for test, _ in answers}):
            what = f"the same bytes under contradictory answers: {_few([clip.key for clip in same[1:]])}"
            yield LayoutProblem(same[0].key, what)


def _place(files: Sequence[ClipFile]) -> str:
    return files[0].key.rpartition("/")[0]


def _few(names: Sequence[str]) -> str:
    rest = len(names) - FEW
    return ", ".join(names[:FEW]) + (f" and {rest} more" if rest > 0 else "")
