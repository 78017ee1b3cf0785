from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from evaluation.submissions.files.translate import translate


class Command(SiteCommand):
    help = (
        "Rewrite a file of answers from one site with the ids of another, by the tables that export_ids wrote on each."
        " An existing output file is refused; changes no data and needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="JSON Lines or CSV with a column item, not packed")
        parser.add_argument("--from", type=Path, required=True, dest="theirs", help="ids of the site it comes from")
        parser.add_argument("--to", type=Path, required=True, dest="ours", help="ids of the site it goes to")
        parser.add_argument("--out", type=Path, required=True, help="a new file")

    def handle(self, *, file: Path, theirs: Path, ours: Path, out: Path, **options: Any) -> None:
        try:
            rows = translate(file, theirs=theirs, ours=ours, out=out)
        except (BenchmarkError, OSError) as error:
            raise CallerMistake(str(error)) from None
        self.say(options, {"rows": rows, "out": str(out)}, f"{rows} answers in {out}")
