from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.packs.lookup import find_pack
from benchmarks.packs.rotate_ids import rotate_ids


class Command(SiteCommand):
    help = (
        "Give every item of a pack a new public id, after its ids became known together with answers. The old ids"
        " answer 404, and files of answers that name them are refused; runs, studies and snapshots stay. Needs no"
        " confirmation. Safe to run again: each call rotates again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--pack", help="its name; optional if there is only one pack")

    def handle(self, *, slug: str, pack: str | None, **options: Any) -> None:
        try:
            find_benchmark(slug)
            found = find_pack(slug, pack)
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        count = rotate_ids(found)
        line = f"{found.title}: {count} items have new ids; the old ones answer 404"
        self.say(options, {"benchmark": slug, "pack": found.name, "items": count}, line)
