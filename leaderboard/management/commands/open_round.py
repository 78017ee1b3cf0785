"""`manage.py open_round ID`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from leaderboard.models import SealedRound
from leaderboard.rounds.commitment import open_round, read_seed


class Command(SiteCommand):
    help = "Make a round's fresh clips and import them as pack round-ID, on its date or later. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round", type=int)
        parser.add_argument("--seed-file", type=Path, required=True)
        parser.add_argument("--out", type=Path, required=True)

    def handle(self, *, round: int, seed_file: Path, out: Path, **options: Any) -> None:
        found = SealedRound.objects.select_related("public").filter(pk=round).first()
        if found is None:
            raise CallerMistake(f"there is no round {round}")
        try:
            pack = open_round(found, seed=read_seed(seed_file), out=out.resolve())
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        facts = {"round": round, "pack": pack.name, "manifest": pack.manifest_hash}
        self.say(options, facts, f"Round {round}: pack {pack.name}, manifest {pack.manifest_hash}")
