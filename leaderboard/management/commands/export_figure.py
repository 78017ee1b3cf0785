"""`manage.py export_figure LAYOUT`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from leaderboard.charts.writers import FORMATS, NoCairo
from leaderboard.management.commands.export_table import write
from leaderboard.publications.paper_figures import LAYOUTS, figure_named
from leaderboard.publications.paper_tables import UnknownLayout
from leaderboard.standings.refresh import refresh


class Command(SiteCommand):
    help = f"Write a figure: {', '.join(LAYOUTS)}. Safe to run again: it only reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("layout")
        parser.add_argument("--format", required=True, help="svg, png, pdf or html")
        parser.add_argument("--pack", default="")
        parser.add_argument("--out", type=Path, required=True)

    def handle(self, *, layout: str, pack: str, out: Path, **options: Any) -> None:
        wanted = options["format"]
        if wanted not in FORMATS:
            raise CallerMistake(f"--format {wanted!r} does not exist; there is: {', '.join(FORMATS)}")
        if not out.parent.is_dir():
            raise CallerMistake(f"--out {out}: there is no folder {out.parent}")
        refresh()
        try:
            made = figure_named(layout, pack, wanted)
        except UnknownLayout as mistake:
            raise CallerMistake(str(mistake)) from mistake
        except NoCairo as error:
            raise CommandError(str(error)) from error
        write(out, made.content)
        facts = {"layout": layout, "format": wanted, "bars": made.count, "out": str(out)}
        self.say(options, facts, f"{made.title}: {made.count} rows in {out}")
