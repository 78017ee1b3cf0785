"""Checks the labels of generated clips against their stored trajectories."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.module_loading import import_string

from benchmarks.definitions.definition import Benchmark
from benchmarks.errors import BadRelease, BenchmarkError

MOTIONS = ("trajectories", "intermediates")  # folders of stored trajectories; CRAFT uses the second name


@dataclass(frozen=True)
class AuditReport:
    """The number of audited clips, and the findings as (clip, problem)."""

    clips: int
    findings: tuple[tuple[str, str], ...]


def audit_release(benchmark: Benchmark, root: Path) -> AuditReport:
    """Derive the labels of every clip again from its trajectory, and report each difference."""
    if not benchmark.audit:
        raise BenchmarkError(f"clips of {benchmark.slug} have no trajectories to audit")
    if not any((root / name).is_dir() for name in MOTIONS):
        raise BadRelease(f"{root}: no trajectories/ here; only clips that were made here can be audited")
    clips = 0
    findings: list[tuple[str, str]] = []
    for clip, found in import_string(benchmark.audit)(root):
        clips += 1
        found += _muted_findings(root / "videos" / f"{clip}.mp4") if benchmark.has_sound else []
        findings += [(str(clip), str(finding)) for finding in found]
    return AuditReport(clips, tuple(findings))


def _muted_findings(video: Path) -> list[str]:
    """A finding if the muted form of the clip has sound or can't be made; a missing video is reported elsewhere."""
    from benchmarks.encoding.encode import copy_streams
    from benchmarks.encoding.probe import MEDIA_ERRORS, probe

    if not video.is_file():
        return []
    with TemporaryDirectory() as folder:
        muted = Path(folder) / "muted.mp4"
        try:
            copy_streams(video, muted, sound=False)
            return ["the muted form has a sound stream"] if probe(muted).has_sound else []
        except MEDIA_ERRORS as error:
            return [f"no muted form can be made: {error}"]
