"""`manage.py reveal_round ID`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from leaderboard.models import SealedRound
from leaderboard.rounds.commitment import number_of, read_seed, reveal


class Command(SiteCommand):
    help = "Publish the seed of a round whose clips exist, so that anybody can make them again. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", type=int)
        parser.add_argument("--seed-file", type=Path, required=True)

    def handle(self, *, round: int, seed_file: Path, **options: Any) -> None:
        found = SealedRound.objects.select_related("fresh").filter(pk=round).first()
        if found is None:
            raise CallerMistake(f"there is no round {round}")
        try:
            revealed = reveal(found, seed=read_seed(seed_file))
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        facts = {"round": round, "seed": revealed.seed, "number": number_of(revealed.seed)}
        self.say(options, facts, f"Round {round}: seed {revealed.seed}, --seed {number_of(revealed.seed)}")
