"""Items on which answerers are at odds: people among themselves, or models among themselves."""

from django.db.models import Count, F, Max, Min, QuerySet

from benchmarks.models import Pack
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


def models(pack: Pack) -> QuerySet[Score, int]:
    """Items of this pack that some run on the board answered right and another wrong."""
    runs = Run.objects.on_the_board().filter(pack=pack)
    scores = Score.objects.counting().filter(reading__response__cell__run__in=runs, dimension="accuracy")
    by_item = scores.order_by().values(tallies.ITEM).annotate(least=Min("value"), most=Max("value"))
    return by_item.filter(most__gt=F("least")).values_list(tallies.ITEM, flat=True)
