"""Recomputes scores when withheld answers arrive, seals hide or release questions, or clips are withdrawn."""

from collections.abc import Collection, Sequence

from django.dispatch import receiver

from benchmarks.disclosure import SCORER, open_answers, seals_changed
from benchmarks.disclosure.seals import answers_loaded
from benchmarks.models import Clip, Item
from benchmarks.storage.access import clip_withdrawn
from evaluation.inputs.frame_cache import forget
from evaluation.models import Reading, Run, Score
from measures.scores.scoring import exact_match

BATCH = 500


@receiver(answers_loaded)
def score_what_waited(sender: type[Item], items: Sequence[int], **kwargs: object) -> None:
    """Score every unscored reading of these items that needs no referee."""
    for start in range(0, len(items), BATCH):
        some = items[start : start + BATCH]
        waiting = Reading.objects.filter(response__cell__item__in=some, response__cell__run__referee="")
        readings = waiting.filter(scores=None).select_related("response__cell")
        known = open_answers(some, to=SCORER)
        Score.objects.bulk_create(
            [
                Score(
                    reading=reading,
                    value=exact_match(reading.answer or None, known[reading.response.cell.item_id].expected),
                )
                for reading in readings
            ],
            batch_size=BATCH,
        )
        runs = Run.objects.filter(cells__item__in=some).distinct().values("pk")
        Run.objects.filter(pk__in=runs).change_answers()


@receiver(seals_changed)
def count_anew(sender: type[Item], packs: Collection[int], **kwargs: object) -> None:
    """Mark stored results as stale, because a seal changed which answers may be published."""
    Run.objects.filter(pack__in=packs).change_answers()


@receiver(clip_withdrawn)
def forget_clip(sender: type[Clip], clip: Clip, **kwargs: object) -> None:
    forget(clip.sha256)
    runs = Run.objects.filter(cells__item__media__clip=clip).distinct().values("pk")
    Run.objects.filter(pk__in=runs).change_answers()
