from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.referees.references import briefings_in, save_briefings
from evaluation.runs.lookup import find_pack
from evaluation.workers.run_command import RunCommand, callers_mistakes


class Command(RunCommand):
    help = "Load the references for referees on the items of a pack. The same file again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("benchmark")
        parser.add_argument("file", type=Path, help='JSON Lines: {"item": ID, "pattern": TEXT, "pred": TEXT, …}')
        parser.add_argument("--pack", help="the newest of the benchmark by default")

    def handle(self, *, benchmark: str, file: Path, pack: str | None, **options: Any) -> None:
        with callers_mistakes():
            found = find_pack(benchmark, pack)
            count = save_briefings(pack=found, rows=briefings_in(file))
        facts = {"benchmark": benchmark, "pack": found.name, "briefings": count}
        self.say(options, facts, f"{found}: {count} items briefed")
