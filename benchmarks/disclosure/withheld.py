"""Loads withheld answers of a hidden split: they serve scoring and are never told.

An item with such an answer stays closed forever: item pages, API and snapshots leave its answer out, because they show
single answers. Figures over many items include it.
"""

from collections.abc import Mapping

from django.db import transaction
from django.dispatch import Signal

from benchmarks.disclosure.readers import WITHHELD
from benchmarks.disclosure.seals import BATCH, hide_alone
from benchmarks.models.answers import ItemAnswer
from benchmarks.models.items import Item

# Receivers compute the scores that were waiting. Sent with `items`, their primary keys, in the same transaction.
answers_loaded = Signal()


@transaction.atomic
def load(expected: Mapping[int, str]) -> None:
    """Store these answers by item and close them to everybody but scorers."""
    if not expected:
        return
    rows = [ItemAnswer(item_id=pk, expected=answer) for pk, answer in expected.items()]
    ItemAnswer.objects.bulk_create(
        rows, BATCH, update_conflicts=True, update_fields=["expected"], unique_fields=["item"]
    )
    hide_alone(expected, by=WITHHELD)
    answers_loaded.send(Item, items=list(expected))
