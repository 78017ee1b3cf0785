"""Review of the clips: a person's decision overrides the rules, and the latest decision can be undone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from benchmarks.errors import BenchmarkError
from extensions.annotation.models import FileState, Material, MaterialClip, MaterialDecision, MaterialFile

REASONS = {
    "no-object": "no object of focus",
    "cut": "cuts to something else half-way",
    "talking": "music or talking",
    "silence": "almost silent",
    "mismatch": "sound does not match the picture",
    "speed": "sped up or slowed down",
    "off-topic": "off-topic",
    "blurry": "blurry or artefacts",
    "sensitive": "inappropriate or sensitive",
}  # the paper's reasons for a bad clip (fact sheet, section 6.2)


DROPPED_BY = {"other": "too little else", "near": "near another", "shot": "same shot", "overlap": "overlaps another"}


@transaction.atomic
def decide(*, clip: MaterialClip, keeps: bool, reason: str = "", by_id: int | None = None) -> MaterialDecision:
    """Keep or drop a clip, whatever the rules say; dropping needs a reason."""
    _refuse_when_made(clip)
    if not keeps and not reason.strip():
        raise BenchmarkError(f"{clip}: say why it is dropped")
    return MaterialDecision.objects.create(clip=clip, keeps=keeps, reason=reason.strip()[:200], by_id=by_id)


@transaction.atomic
def undo(*, clip: MaterialClip) -> None:
    """Remove the latest decision, so that the previous one counts again."""
    _refuse_when_made(clip)
    last = clip.decisions.order_by("-pk").first()
    if last is None:
        raise BenchmarkError(f"{clip}: nobody has decided anything about it")
    last.delete()


def _refuse_when_made(clip: MaterialClip) -> None:
    material = Material.objects.select_for_update().get(files=clip.file_id)
    if material.is_closed:
        raise BenchmarkError(f"the pack of {material.slug} is made: nothing of it changes any more")


@dataclass(frozen=True)
class Overview:
    """Progress of a material in numbers."""

    files: int
    open_files: int
    refused: Sequence[MaterialFile]
    clips: int
    kept: int
    decided: int
    dropped_by: tuple[tuple[str, int], ...]  # (first reason, number of clips)


def clips_of(material: Material) -> list[MaterialClip]:
    clips = MaterialClip.objects.filter(file__material=material).select_related("file").prefetch_related("decisions")
    return list(clips.order_by("file", "number"))


def overview(material: Material, clips: Sequence[MaterialClip]) -> Overview:
    files = list(material.files.all())
    dropped = Counter(_dropped_by(clip) for clip in clips if not clip.is_kept)
    return Overview(
        files=len(files),
        open_files=sum(file.is_open for file in files),
        refused=[file for file in files if file.state == FileState.REFUSED],
        clips=len(clips),
        kept=sum(clip.is_kept for clip in clips),
        decided=sum(clip.decision is not None for clip in clips),
        dropped_by=tuple(dropped.most_common()),
    )


def _dropped_by(clip: MaterialClip) -> str:
    code = "people" if clip.decision else clip.reasons[0][0]
    return DROPPED_BY.get(code, code)
