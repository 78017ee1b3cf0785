from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.packs.id_tables import write_ids
from benchmarks.packs.lookup import find_pack


class Command(SiteCommand):
    help = (
        "Write the public ids of a pack's official items, sealed ones included, for a site that exchanges answers with"
        " this one (translate_submission). The table reveals the answers: give it only to people who may know them."
        " An existing file is refused; changes no data."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--pack", help="its name; optional if there is only one pack")
        parser.add_argument("--out", type=Path, required=True, help="a new CSV file: key, kind, variant, item")

    def handle(self, *, slug: str, pack: str | None, out: Path, **options: Any) -> None:
        try:
            find_benchmark(slug)
            found = find_pack(slug, pack)
            count = write_ids(found, out)
        except (BenchmarkError, OSError) as error:
            raise CallerMistake(str(error)) from None
        facts = {"benchmark": slug, "pack": found.name, "items": count, "out": str(out)}
        self.say(options, facts, f"{found.title}: ids of {count} items in {out}")
