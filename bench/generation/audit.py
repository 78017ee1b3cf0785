"""Simulates many clips of every scene, unrendered, and audits their trajectory files.

`python -m bench.generation.audit [PROFILE ...]`, by default in every profile; `restaged` is `corrected` as staged now.
Prints a JSON line for each profile: clips, findings (each named on standard error), and milliseconds a clip.
"""

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from scenes.audit import audit_trajectory, problems
from scenes.clip import draw_scene
from scenes.physics.mujoco_engine import simulate
from scenes.registry import SCENES
from scenes.scene import Profile
from scenes.trajectory import Trajectory

SEED, ROUNDS = 31, 64
PROFILES: tuple[Profile, ...] = get_args(Profile)


def audited(name: str, index: int, profile: Profile, path: Path) -> list[str]:
    """The audit's findings in this clip's file; empty if it has no fault."""
    kind = SCENES[name]
    scene = draw_scene(kind, SEED, index, profile=profile)
    simulate(scene).save(path)
    return problems(audit_trajectory(Trajectory.load(path)), scene.label, test=kind.test, profile=profile)


def main(names: Sequence[str]) -> int:
    if unknown := set(names) - set(PROFILES):
        print(f"no profile {', '.join(sorted(unknown))}: there are {', '.join(PROFILES)}", file=sys.stderr)
        return 2
    failed = 0
    for profile in [profile for profile in PROFILES if profile in (names or PROFILES)]:
        began, findings = time.perf_counter(), 0
        with tempfile.TemporaryDirectory() as folder:
            for name in SCENES:
                for index in range(ROUNDS):
                    found = audited(name, index, profile, Path(folder) / "clip.npz")
                    findings += bool(found)
                    for what in found:
                        print(f"{profile} {name}/{index:03}: {what}", file=sys.stderr)
        clips = ROUNDS * len(SCENES)
        milliseconds = round(1000 * (time.perf_counter() - began) / clips)
        print(
            json.dumps(
                {"bench": "audit", "profile": profile, "clips": clips, "findings": findings, "ms_a_clip": milliseconds}
            )
        )
        failed += findings
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
