import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import Pack
from benchmarks.models.packs import find_pack
from benchmarks.packs.export import OTHER_FORMATS, FormatChoice, export_as, export_pack
from benchmarks.packs.prepared_media import NAMES, prepare_pack
from benchmarks.progress_bar import progress_bar

FOR_TOOLS = {
    "strategy": "one strategy; without it all that the tool can ask",
    "condition": "in place of each strategy's own",
    "split": "in place of each strategy's first",
    "sampler": "`uniform-N` for N frames as pictures, `clip` for the file of the clip",
}


class Command(SiteCommand):
    help = (
        "Write items, clips, checksums and submission templates; an existing target is refused. With --media write the"
        " forms of clips that research models read (frames, crops, sounds); existing files are kept. Changes no data."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, help="a new folder, or a new file ending in .zip")
        parser.add_argument("--pack")
        truth = "with trajectories and scenes, which reveal the answers"
        parser.add_argument("--ground-truth", action="store_true", help=truth)
        official = "with the official tools' tables, which reveal the answers"
        parser.add_argument("--official", action="store_true", help=official)
        parser.add_argument("--media", action="store_true", help="forms of the clips in place of the pack")
        parser.add_argument("--format", choices=sorted(OTHER_FORMATS), help="for another tool, which runs it unchanged")
        for name, what in FOR_TOOLS.items():
            parser.add_argument(f"--{name}", default="", help=f"with --format, {what}")
        parser.add_argument("--only", default="", help=f"with --media, separated by commas: {', '.join(NAMES)}")

    def handle(self, *, slug: str, out: Path, **options: Any) -> None:
        benchmark = find_benchmark(slug)
        pack = find_pack(slug, options["pack"])
        try:
            write = self._media if options["media"] else self._tasks if options["format"] else self._pack
            write(benchmark, pack, out, options)
        except OSError as error:
            raise CallerMistake(str(error)) from None

    def _pack(self, benchmark: Benchmark, pack: Pack, out: Path, options: dict[str, Any]) -> None:
        counts = export_pack(
            benchmark, pack, out.resolve(), with_truth=options["ground_truth"], with_official=options["official"]
        )
        line = f"{pack.title}: {counts['items']} items and {counts['clips']} clips in {out}"
        self.say(options, {"benchmark": benchmark.slug, "pack": pack.name, "out": str(out), **counts}, line)

    def _tasks(self, benchmark: Benchmark, pack: Pack, out: Path, options: dict[str, Any]) -> None:
        choice = FormatChoice(**{name: options[name] for name in FOR_TOOLS})
        facts = export_as(options["format"], benchmark, pack, out.resolve(), choice)
        for name, why in facts.get("left_out", {}).items():
            self.note(options, f"left out: {name}: {why}")
        written = {"benchmark": benchmark.slug, "pack": pack.name, "out": str(out), **facts}
        self.say(options, written, f"{pack.title}: {facts['written']} in {out}")

    def _media(self, benchmark: Benchmark, pack: Pack, out: Path, options: dict[str, Any]) -> None:
        names = [name for name in options["only"].split(",") if name]
        prepared = prepare_pack(pack, out.resolve(), only=names, progress=progress_bar(sys.stderr, "Files"))
        for where, what in prepared.problems:
            self.note(options, f"{where}: {what}")
        facts = {
            "benchmark": benchmark.slug,
            "pack": pack.name,
            "out": str(out),
            "files": prepared.files,
            "problems": [{"where": where, "what": what} for where, what in prepared.problems],
        }
        self.say(options, facts, f"{pack.title}: {prepared.files} files written to {out}")
