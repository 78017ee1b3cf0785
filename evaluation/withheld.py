"""Answers that were withheld arrive: what was said before is scored, and its standings are computed anew."""

from collections.abc import Sequence

from django.db.models import F
from django.dispatch import receiver

from benchmarks.answers import answers_loaded
from benchmarks.models import Item
from evaluation.models import Reading, Run, Score
from measures.scoring import exact_match

BATCH = 500


@receiver(answers_loaded)
def score_what_waited(sender: type[Item], items: Sequence[int], **kwargs: object) -> None:
    """Every reading of these items that no referee scores and that has no score yet."""
    for start in range(0, len(items), BATCH):
        some = items[start : start + BATCH]
        waiting = Reading.objects.filter(response__cell__item__in=some, response__cell__run__referee="")
        readings = waiting.filter(scores=None).select_related("response__cell__item")
        Score.objects.bulk_create(
            [
                Score(reading=reading, value=exact_match(reading.answer or None, reading.response.cell.item.expected))
                for reading in readings
            ],
            batch_size=BATCH,
        )
        runs = Run.objects.filter(cells__item__in=some).distinct().values("pk")
        Run.objects.filter(pk__in=runs).update(answers_version=F("answers_version") + 1)
