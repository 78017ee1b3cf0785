from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import SiteCommand
from leaderboard.publications.later_results import NEEDED, OPTIONAL, BadResults, import_other, import_results


class Command(SiteCommand):
    help = (
        f"Import results of later papers for the boards, from CSV or JSON with the fields {', '.join(NEEDED)}, and"
        f" if wanted {', '.join(OPTIONAL)}. For generated clips: PhyGround's folder, or a CSV of votes. Safe to"
        " run again: the same results change nothing."
    )
    mistakes = (BadResults,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
        if (stored := import_other(file)) is not None:
            self.say(options, dict(stored), ", ".join(f"{name}: {count}" for name, count in stored.items()))
            return
        new, stood = import_results(file)
        facts = {"results": new + stood, "new": new}
        self.say(options, facts, f"results of later papers: {new + stood}, new: {new}")
