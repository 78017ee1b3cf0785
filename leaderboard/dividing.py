"""Items on which answerers are at odds: people among themselves, or models among themselves."""

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery

from benchmarks.models import Item, Pack
from evaluation.models import Run, Score
from humantrials.models import Judgment, Trial
from humantrials.results import are_shown
from leaderboard import tallies


def people(pack: Pack) -> QuerySet[Judgment, int]:
    """Items to which the people of one trial and condition gave different answers, where results are shown."""
    shown = [trial.pk for trial in Trial.objects.filter(pack=pack) if are_shown(trial)]
    counted = Judgment.objects.filter(trial__in=shown, counts=True).values("trial_id", "slot__condition", "item_id")
    divided = counted.annotate(said=Count("answer", distinct=True)).filter(said__gt=1)
    return divided.order_by().values_list("item_id", flat=True)


def models(pack: Pack) -> QuerySet[Item, int]:
    """Items of this pack on which runs on the board got different scores; the first that differs is enough."""
    runs = Run.objects.on_the_board().filter(pack=pack).values("pk")
    scores = Score.objects.counting().filter(reading__response__cell__run__in=runs, dimension="accuracy").order_by()
    of_item = scores.filter(**{tallies.ITEM: OuterRef("pk")})
    divided = pack.items.annotate(one=Subquery(of_item.values("value")[:1]))
    # Of the second subquery `one` is a column of the query around it.
    return divided.filter(Exists(of_item.exclude(value=OuterRef("one")))).order_by().values_list("pk", flat=True)
