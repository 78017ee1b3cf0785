"""The seconds that models and people name for the violation in one item's clip."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from django.db.models import F
from rest_framework import serializers

from benchmarks.models import Item
from evaluation.models import Reading
from evaluation.prompting.strategies import STRATEGIES
from humantrials.models import Judgment, Trial
from humantrials.results.moments import answered_moments, asks_for_moments
from humantrials.results.release import may_show_people
from leaderboard.items.item_detail import listed_runs

BY_MOMENT = [name for name, strategy in STRATEGIES.items() if strategy.by_moment]


@dataclass(frozen=True)
class ItemMoments:
    """The answers of one row; `presses` are people's first ones."""

    row: str  # key of the row
    simulated: bool
    seconds: tuple[float, ...]  # of answers that name a moment, ascending
    nothing: int
    unread: int
    presses: tuple[float, ...] = ()


def moments_at(item: Item) -> list[ItemMoments]:
    """A line for each study whose results are shown, then for each run on the board, that names moments."""
    if item.kind != "plausibility":
        return []
    return [*_of_people(item), *_of_models(item)]


def _of_people(item: Item) -> Iterator[ItemMoments]:
    judgments = Judgment.objects.filter(item=item, counts=True).order_by().values("trial")
    for trial in Trial.objects.filter(pk__in=judgments).order_by("is_simulated", "pk"):
        if not (asks_for_moments(trial) and may_show_people(trial)):
            continue
        found = [one.answer for one in answered_moments(trial, items=[item.pk])]
        seconds = sorted(one.seconds for one in found if one.seconds is not None)
        presses = sorted(max(0.0, one.press) for one in found if one.press is not None)
        nothing = len(found) - len(seconds)
        yield ItemMoments(f"trial-{trial.slug}", trial.is_simulated, tuple(seconds), nothing, 0, tuple(presses))


def _of_models(item: Item) -> Iterator[ItemMoments]:
    """One line for each run over its seeds, from the readings of its own parser."""
    run, runs = "response__cell__run", listed_runs(item).filter(strategy__in=BY_MOMENT)
    read = Reading.objects.filter(response__cell__item=item, response__cell__run__in=runs)
    read = read.filter(parser=F(f"{run}__parser"), version=F(f"{run}__parser_version")).order_by(run, "pk")
    for pk, rows in groupby(read.values_list(run, "answer"), key=itemgetter(0)):
        answers = [answer for _run, answer in rows]
        seconds = sorted(float(one) for one in answers if one[:1].isdigit())
        unread = answers.count("")
        yield ItemMoments(f"run-{pk}", False, tuple(seconds), len(answers) - len(seconds) - unread, unread)


class ItemMomentsSerializer(serializers.Serializer):
    """The seconds that one row names for the violation in the item's clip."""

    row = serializers.CharField()
    simulated = serializers.BooleanField()
    seconds = serializers.ListField(child=serializers.FloatField())
    nothing = serializers.IntegerField()
    unread = serializers.IntegerField()
    presses = serializers.ListField(child=serializers.FloatField(), help_text="people's first ones")
