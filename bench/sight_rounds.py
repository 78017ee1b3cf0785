"""Many clips of every scene without a video: motion and body numbers alone, at 160 x 120 pixels.

`python bench/sight_rounds.py [PROFILE] [CLIPS] [SCENE ...]` draws each clip until it is sound, audits the written file
once more, and prints one JSON line a folder and one for all: draws refused and their share, findings that stayed.
"""

import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from scenes.audit import audit_trajectory, problems  # noqa: E402
from scenes.drawing import ClipFailed, Drawn, draw_until_sound  # noqa: E402
from scenes.registry import SCENES  # noqa: E402
from scenes.scene import Profile  # noqa: E402
from scenes.trajectory import Trajectory  # noqa: E402

SEED, CLIPS = 31, 64
Job = tuple[str, int, Profile]


def look_at(job: Job) -> tuple[str, list[str], list[str]]:
    """Folder, refused draws and what is wrong with the one that was kept."""
    name, index, profile = job
    kind = SCENES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{index:03}.npz"
        try:
            drawn = draw_until_sound(kind, SEED, index, profile, path)
        except ClipFailed as error:
            return name, [], [str(error)]
        trajectory = Trajectory.load(path)
    verdict = audit_trajectory(trajectory)
    found = problems(verdict, drawn.scene.label, test=kind.test, profile=profile)
    return name, list(drawn.refused), found + _sight_problems(drawn, trajectory)


def _sight_problems(drawn: Drawn, trajectory: Trajectory) -> list[str]:
    """A violation that nobody can know, and a plausible clip with one."""
    violation = drawn.verdict.violation_frame
    found = ["no seen shares in the file"] if trajectory.seen is None else []
    if (violation is None) != (drawn.first_knowable is None):
        found.append(f"violation at {violation}, to be known at {drawn.first_knowable}")
    if violation is not None and drawn.scene.label != "implausible":
        found.append("a violation in a clip without one")
    return found


def rounds(jobs: Sequence[Job], processes: int) -> Iterator[tuple[str, list[str], list[str]]]:
    """In processes of their own, for OpenGL's sake; in this one when it is one."""
    if processes == 1:
        yield from map(look_at, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(look_at, jobs, chunksize=8)


def report(profile: Profile, clips: int, names: Sequence[str], processes: int) -> tuple[list[dict[str, object]], int]:
    """Lines to print, and how many clips have findings."""
    began = time.perf_counter()
    refused: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for name, again, found in rounds([(name, index, profile) for name in names for index in range(clips)], processes):
        refused[name] += len(again)
        wrong[name] += bool(found)
        for what in (*(f"drawn again: {what}" for what in again), *found):
            print(f"{profile} {name}: {what}", file=sys.stderr)
    facts = {"bench": "sight", "profile": profile}
    lines: list[dict[str, object]] = [
        {**facts, "scene": name, "clips": clips, "redraws": refused[name], "findings": wrong[name]} for name in names
    ]
    total = clips * len(names)
    lines.append(
        {**facts, "scene": "all", "folders": len(names), "clips": total, "redraws": refused.total()}
        | {"redraws_a_clip": round(refused.total() / total, 4), "findings": wrong.total()}
        | {"seconds": round(time.perf_counter() - began)}
    )
    return lines, wrong.total()


def main(profile: str = "corrected", clips: str = str(CLIPS), *names: str) -> int:
    lines, wrong = report(cast(Profile, profile), int(clips), names or tuple(SCENES), multiprocessing.cpu_count())
    for line in lines:
        print(json.dumps(line), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
