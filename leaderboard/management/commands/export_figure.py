"""`manage.py export_figure LAYOUT`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.registry import find_benchmark
from leaderboard.exports import UnknownLayout, pack_named
from leaderboard.figure_files import WRITERS, NoBrowser
from leaderboard.management.commands.export_table import write
from leaderboard.plots import figure_3
from leaderboard.standings import refresh

LAYOUTS = {"grasp-figure-3": "grasp"}


class Command(SiteCommand):
    help = f"Write a figure: {', '.join(LAYOUTS)}. Safe to run again: it only reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("layout")
        parser.add_argument("--format", required=True, help="svg, png, pdf or html")
        parser.add_argument("--pack", default="")
        parser.add_argument("--out", type=Path, required=True)

    def handle(self, *, layout: str, pack: str, out: Path, **options: Any) -> None:
        wanted = options["format"]
        if layout not in LAYOUTS:
            raise CallerMistake(f"there is no figure {layout!r}; there is: {', '.join(LAYOUTS)}")
        if wanted not in WRITERS:
            raise CallerMistake(f"--format {wanted!r} does not exist; there is: {', '.join(WRITERS)}")
        if not out.parent.is_dir():
            raise CallerMistake(f"--out {out}: there is no folder {out.parent}")
        refresh()
        try:
            figure = figure_3(find_benchmark(LAYOUTS[layout]), pack_named(LAYOUTS[layout], pack))
            content = WRITERS[wanted](figure)
        except UnknownLayout as mistake:
            raise CallerMistake(str(mistake)) from mistake
        except NoBrowser as error:
            raise CommandError(str(error)) from error
        write(out, content)
        facts = {"layout": layout, "format": wanted, "bars": len(figure.bars), "out": str(out)}
        self.say(options, facts, f"{figure.title}: {len(figure.bars)} rows in {out}")
