from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import SiteCommand
from evaluation.runs.lookup import find_run
from evaluation.studies.human_ratings import make_ratings
from evaluation.workers.run_command import callers_mistakes, numbers


class Command(SiteCommand):
    help = (
        "Make a pack of predictions for people to rate by the referees' rubrics, blind to the model; then create_trial"
        " NAME --protocol giraffe-rating --pack PACK. Safe to run again: the same predictions give the same pack."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("runs", help="ids of finished runs: 12,13")
        parser.add_argument("--count", type=int, default=60, help="predictions, drawn evenly from the runs")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--pack", default="ratings", help="name of the new pack")

    def handle(self, *, runs: str, count: int, seed: int, pack: str, **options: Any) -> None:
        with callers_mistakes():
            made = make_ratings(
                runs=[find_run(number) for number in numbers("runs", runs)], count=count, seed=seed, name=pack
            )
        predictions = made.items.values("key").distinct().count()
        facts = {"pack": made.name, "predictions": predictions, "items": made.items.count()}
        self.say(options, facts, f"pack {made.name}: {predictions} predictions, {facts['items']} questions about them")
