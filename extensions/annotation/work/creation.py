"""Creates an annotation trial: its clips become waiting objects on sheets of stage A. Later stages open themselves."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from benchmarks.models import Clip, Pack, RenditionKind
from extensions.annotation.models import AnnotationObject
from extensions.annotation.work.task_layout import lay_objects
from humantrials.errors import BadSetting, EmptyPool
from humantrials.models import Trial
from humantrials.protocols.designs.balanced import lot
from humantrials.protocols.protocol import Protocol

BATCH = 500
# Settings without meaning in a trial without slots.
REFUSED = (
    *("per_test", "replicates", "qualified", "split", "seal", "confidence", "why", "attention", "attention_items"),
    *("break_every", "break_seconds", "quiz_attempts", "second_round"),
)


@transaction.atomic
def make_annotation(protocol: Protocol, trial: Trial) -> Trial:
    """Store the trial with one object per clip, in an order drawn from seed and salt, limited by `items`."""
    clips = material_of(protocol, trial.pack, trial.draw_seed, trial.settings)
    trial.design_hash = digest_of([clip.sha256 for clip in clips])
    trial.save()
    rows = [AnnotationObject(trial=trial, clip=clip, number=number) for number, clip in enumerate(clips)]
    lay_objects(trial, AnnotationObject.objects.bulk_create(rows, BATCH))
    return trial


def material_of(protocol: Protocol, pack: Pack, seed: int, settings: Mapping[str, Any]) -> list[Clip]:
    """The clips with an original file and a middle frame, in an order drawn from the seed; at most `items`."""
    if pack.benchmark not in (protocol.pool.benchmark, *protocol.pool.also_of):
        raise EmptyPool(f"{protocol.name} has no use for clips of {pack}")
    for name in REFUSED:
        if name in settings:
            raise BadSetting(f"{protocol.name} has no setting {name!r}; what limits its clips is 'items'")
    found = pack.clips.filter(problem="", withdrawn_at=None, renditions__kind=RenditionKind.ORIGINAL)
    clips = found.filter(pk__in=pack.clips.filter(renditions__kind=RenditionKind.POSTER)).distinct()
    if not clips:
        raise EmptyPool(f"{pack} has no clips that can be shown")
    shuffled = sorted(clips, key=lambda clip: lot(f"{seed}/clips", clip.sha256, clip.key))
    return shuffled[: settings.get("items")]


def digest_of(clips: list[str]) -> str:
    """Hash of the clips in order; all later draws depend only on seed, salt and what people did."""
    return hashlib.sha256("\n".join(clips).encode()).hexdigest()
