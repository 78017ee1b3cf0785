"""Audits a folder in the official layout from its files alone."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from scenes.audit.auditing import EXPECTATIONS, audit_trajectory, problems
from scenes.trajectory import Trajectory

VIOLATIONS = {"P_": "plausible", "IP_": "implausible"}


def audit_folder(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield every clip as `Scene/index` with its faults, ideally none."""
    videos, trajectories = Path(root) / "videos", Path(root) / "trajectories"
    stems = {path.relative_to(videos).with_suffix("") for path in videos.glob("level*/*/[0-9]*.mp4")}
    stems |= {path.relative_to(trajectories).with_suffix("") for path in trajectories.glob("level*/*/[0-9]*.npz")}
    for stem in sorted(stems):
        yield f"{stem.parent.name}/{stem.name}", _findings(videos / stem, trajectories / stem)


def _findings(video: Path, motion: Path) -> list[str]:
    missing = [
        str(path.name)
        for path in (video.with_suffix(".mp4"), motion.with_suffix(".npz"), motion.with_suffix(".json"))
        if not path.is_file()
    ]
    if missing:
        return [f"missing: {', '.join(missing)}"]
    try:
        facts = json.loads(motion.with_suffix(".json").read_text(encoding="utf-8"))
        trajectory = Trajectory.load(motion.with_suffix(".npz"))
    except (ValueError, KeyError, TypeError, OSError, EOFError, BadZipFile) as error:
        return [f"unreadable: {error}"]
    test, label = expected_answer(video)
    if test not in EXPECTATIONS:
        return [f"no test has a folder {video.parent.name}"]
    profile = str(facts.get("profile"))
    return [
        *_facts_findings(facts, trajectory, test, label),
        *problems(audit_trajectory(trajectory), label, test=test, profile=profile),
        *(legibility_faults(facts.get("legibility", {})) if profile == "corrected" else ()),
    ]


def expected_answer(video: Path) -> tuple[str, str]:
    """Test and label from the official layout: from the folder's name, or for the ordering tests from the text file."""
    folder = video.parent.name
    for prefix, label in VIOLATIONS.items():
        if folder.startswith(prefix):
            return folder.removeprefix(prefix), label
    if folder in EXPECTATIONS:
        text = video.with_suffix(".txt")
        return folder, text.read_text(encoding="utf-8").removesuffix(",") if text.is_file() else ""
    tests = [test for test in EXPECTATIONS if folder.startswith(test)]
    return (tests[0], folder.removeprefix(tests[0]).casefold()) if tests else (folder, "")


def _facts_findings(facts: dict[str, Any], trajectory: Trajectory, test: str, label: str) -> Iterator[str]:
    if facts.get("digest") != trajectory.digest():
        yield "the trajectory is not the one that the clip was made from"
    if trajectory.description.test != test:
        yield f"the trajectory is of the test {trajectory.description.test}"
    if facts.get("label") != label:
        yield f"the facts say {facts.get('label')!r}, the folder {label!r}"


LEAST_SECONDS, LEAST_PIXELS, LEAST_CONTRAST = 0.6, 400, 0.15  # of the twins' difference, in 320 x 240 pixels
LEAST_NAMED = 300  # pixels of the object that a Level-1 clip asks about


def legibility_faults(measured: Mapping[str, Any]) -> list[str]:
    """One sentence for each limit that the twins' difference, or the object of a Level-1 clip, does not reach."""
    named = measured.get("named_pixels", LEAST_NAMED)
    if named < LEAST_NAMED:
        return [f"legibility: the named object has {named} pixels"]
    return _telltale_faults(measured["telltale"]) if "telltale" in measured else []


def _telltale_faults(telltale: Mapping[str, Any]) -> list[str]:
    faults = []
    if telltale["seconds"] < LEAST_SECONDS and not telltale["at_end"]:
        faults.append(f"legibility: the twins differ for {telltale['seconds']} s and not at the end")
    if telltale["pixels"] < LEAST_PIXELS:
        faults.append(f"legibility: the twins differ in {telltale['pixels']} pixels")
    if telltale["contrast"] < LEAST_CONTRAST:
        faults.append(f"legibility: the twins differ with a contrast of {telltale['contrast']}")
    return faults
