"""Audits many clips of every scene without rendering videos, from motion and segmentation at 160 x 120 pixels.

`python -m bench.generation.visibility [PROFILE] [CLIPS] [SCENE ...]` redraws each clip until it is sound, audits the
written file again, and prints a JSON line for each folder and one for all: rejected draws, their share, and findings.
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

from scenes.audit import audit_trajectory, problems
from scenes.drawing import AcceptedDraw, ClipFailed, draw_until_sound
from scenes.registry import SCENES
from scenes.scene import Profile, staged
from scenes.trajectory import Trajectory

SEED, CLIPS = 31, 64
Job = tuple[str, int, Profile]


def look_at(job: Job) -> tuple[str, list[str], list[str]]:
    """The clip's folder, the reasons of rejected draws, and the findings in the accepted one."""
    name, index, profile = job
    kind = SCENES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{index:03}.npz"
        try:
            sample = draw_until_sound(kind, SEED, index, profile, path)
        except ClipFailed as error:
            return name, [], [str(error)]
        trajectory = Trajectory.load(path)
    verdict = audit_trajectory(trajectory)
    found = problems(verdict, sample.scene.label, test=kind.test, profile=profile)
    return name, list(sample.refused), found + _sight_problems(sample, trajectory)


def _sight_problems(sample: AcceptedDraw, trajectory: Trajectory) -> list[str]:
    """Findings: missing visibility data, a violation that can't be known, or one in a plausible clip."""
    violation = sample.verdict.violation_frame
    found = ["no seen shares in the file"] if trajectory.seen is None else []
    if (violation is None) != (sample.first_knowable is None):
        found.append(f"violation at {violation}, to be known at {sample.first_knowable}")
    if violation is not None and sample.scene.label != "implausible":
        found.append("a violation in a clip without one")
    return found


def rounds(jobs: Sequence[Job], processes: int) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the results of all jobs; several processes are spawned, not forked, because of OpenGL."""
    if processes == 1:
        yield from map(look_at, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(look_at, jobs, chunksize=8)


def report(profile: Profile, clips: int, names: Sequence[str], processes: int) -> tuple[list[dict[str, object]], int]:
    """The lines to print, and the number of clips with findings."""
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
    now = staged(cast(Profile, profile))
    lines, wrong = report(now, int(clips), names or tuple(SCENES), multiprocessing.cpu_count())
    for line in lines:
        print(json.dumps(line), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
