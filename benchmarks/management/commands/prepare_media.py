import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.packs.lookup import find_pack
from benchmarks.packs.prepared_media import NAMES, prepare_pack
from benchmarks.progress_bar import progress_bar


class Command(SiteCommand):
    help = "Write the forms of clips that research models read (frames, crops, sounds). Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True)
        parser.add_argument("--pack")
        parser.add_argument("--only", default="", help=f"separated by commas: {', '.join(NAMES)}")

    def handle(self, *, slug: str, out: Path, only: str, **options: Any) -> None:
        try:
            pack = find_pack(find_benchmark(slug).slug, options["pack"])
            names = [name for name in only.split(",") if name]
            prepared = prepare_pack(pack, out.resolve(), only=names, progress=progress_bar(sys.stderr, "Files"))
        except (BenchmarkError, OSError) as error:
            raise CallerMistake(str(error)) from None
        for where, what in prepared.problems:
            self.note(options, f"{where}: {what}")
        facts = {
            "benchmark": slug,
            "pack": pack.name,
            "out": str(out),
            "files": prepared.files,
            "problems": [{"where": where, "what": what} for where, what in prepared.problems],
        }
        self.say(options, facts, f"{pack.title}: {prepared.files} files written to {out}")
