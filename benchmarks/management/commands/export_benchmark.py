from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.packs.export import export_pack
from benchmarks.packs.lookup import find_pack


class Command(SiteCommand):
    help = "Write items, clips, checksums and submission templates. An existing target is refused; changes no data."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, help="a new folder, or a new file ending in .zip")
        parser.add_argument("--pack")
        parser.add_argument(
            "--ground-truth", action="store_true", help="with trajectories and scenes, which reveal the answers"
        )
        parser.add_argument(
            "--official", action="store_true", help="with the official tools' tables, which reveal the answers"
        )

    def handle(self, *, slug: str, out: Path, **options: Any) -> None:
        try:
            benchmark = find_benchmark(slug)
            pack = find_pack(slug, options["pack"])
            counts = export_pack(
                benchmark, pack, out.resolve(), with_truth=options["ground_truth"], with_official=options["official"]
            )
        except (BenchmarkError, OSError) as error:
            raise CallerMistake(str(error)) from None
        line = f"{pack.title}: {counts['items']} items and {counts['clips']} clips in {out}"
        self.say(options, {"benchmark": slug, "pack": pack.name, "out": str(out), **counts}, line)
