"""Deriving labels again from the stored trajectories of made clips."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.definition import Benchmark
from benchmarks.errors import BadRelease, BenchmarkError
from scenes.audit import audit_folder


@dataclass(frozen=True)
class AuditReport:
    """How many clips were audited, and what is wrong with which."""

    clips: int
    findings: tuple[tuple[str, str], ...]


def audit_release(benchmark: Benchmark, root: Path) -> AuditReport:
    """Compare every clip's label with what its trajectory shows."""
    if not benchmark.generate:
        raise BenchmarkError(f"clips of {benchmark.slug} are not made here, so there are no trajectories to audit")
    if not (root / "trajectories").is_dir():
        raise BadRelease(f"{root}: no trajectories/ here; only clips that were made here can be audited")
    clips = 0
    findings: list[tuple[str, str]] = []
    for clip, found in audit_folder(root):
        clips += 1
        findings += [(str(clip), str(finding)) for finding in found]
    return AuditReport(clips, tuple(findings))
