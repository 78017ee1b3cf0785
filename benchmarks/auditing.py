"""Deriving labels again from the stored trajectories of made clips."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.module_loading import import_string

from benchmarks.definition import Benchmark
from benchmarks.errors import BadRelease, BenchmarkError

MOTIONS = ("trajectories", "intermediates")  # where made clips keep what moved; the second is CRAFT's own name


@dataclass(frozen=True)
class AuditReport:
    """How many clips were audited, and what is wrong with which."""

    clips: int
    findings: tuple[tuple[str, str], ...]


def audit_release(benchmark: Benchmark, root: Path) -> AuditReport:
    """Compare every clip and its labels with what its trajectory shows."""
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
    """Whether the form of the clip that is served without sound has none; what can't be read is said elsewhere."""
    from benchmarks.media_encoding import copy_streams
    from benchmarks.media_probing import MEDIA_ERRORS, probe

    if not video.is_file():
        return []
    with TemporaryDirectory() as folder:
        muted = Path(folder) / "muted.mp4"
        try:
            copy_streams(video, muted, sound=False)
            return ["the muted form has a sound stream"] if probe(muted).has_sound else []
        except MEDIA_ERRORS as error:
            return [f"no muted form can be made: {error}"]
