"""Marks people's rows as stale when withheld answers arrive, or when seals hide or release questions."""

from collections.abc import Collection, Sequence

from django.db.models import Exists, F, OuterRef
from django.dispatch import receiver

from benchmarks.disclosure import seals_changed
from benchmarks.disclosure.seals import answers_loaded
from benchmarks.models import Item
from benchmarks.models.id_list import IdList
from humantrials.models import Judgment, Trial


@receiver(answers_loaded)
def score_what_waited(sender: type[Item], items: Sequence[int], **kwargs: object) -> None:
    packs = Item.objects.filter(pk__in=IdList(items)).order_by().values_list("pack_id", flat=True)
    _mark(set(packs.distinct()))


@receiver(seals_changed)
def count_anew(sender: type[Item], packs: Collection[int], **kwargs: object) -> None:
    _mark(packs)


def _mark(packs: Collection[int]) -> None:
    """Mark the rows of the studies on these packs that have counted answers."""
    answered = Exists(Judgment.objects.filter(trial=OuterRef("pk"), counts=True))
    Trial.objects.filter(answered, pack__in=packs).update(answers_version=F("answers_version") + 1)
