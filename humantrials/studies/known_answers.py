"""The right answers that a study's results may use: none that is withheld or that another study seals.

Results are public, and figures of few people tell labels (decision 0012). The desk asks `permissions.known_items`.
"""

from django.db.models import OuterRef, Subquery

from benchmarks.models import Item
from humantrials.models import Trial


def known_answer(trial: Trial) -> Subquery:
    """The right answer to the item of each row, as a column of a query; None where it is unknown or hidden."""
    known = Item.objects.with_answers_behind({trial.seal_name})
    return Subquery(known.filter(pk=OuterRef("item")).values("expected")[:1])
