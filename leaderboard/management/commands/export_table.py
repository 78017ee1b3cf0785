"""`manage.py export_table LAYOUT`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from leaderboard.exports import writers
from leaderboard.publications.paper_tables import LAYOUTS, ROWS, UnknownLayout, table_named
from leaderboard.standings.refresh import refresh


class Command(SiteCommand):
    help = f"Write a table of a paper or of this site: {', '.join(LAYOUTS)}. Safe to run again: it only reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("layout")
        parser.add_argument("--format", default="csv", help="csv, json, md, latex, xlsx or bib")
        parser.add_argument("--rows", help=f"{','.join(ROWS)}; default for a paper's table: published")
        parser.add_argument("--pack", default="")
        parser.add_argument("--out", type=Path)

    def handle(self, *, layout: str, rows: str | None, pack: str, out: Path | None, **options: Any) -> None:
        wanted = options["format"]
        if wanted not in writers.WRITERS:
            raise CallerMistake(f"--format {wanted!r} does not exist; there is: {', '.join(writers.WRITERS)}")
        if wanted == "xlsx" and out is None:
            raise CallerMistake("a spreadsheet needs a file: give --out PATH")
        refresh()
        try:
            table = table_named(layout, pack_name=pack, rows=tuple(rows.split(",")) if rows else None)
        except UnknownLayout as mistake:
            raise CallerMistake(str(mistake)) from mistake
        content = writers.WRITERS[wanted](table)
        if out is None and not options["as_json"]:
            self.stdout.write(content.decode(), ending="")
            return
        if out is not None:
            write(out, content)
            if wanted == "csv":
                write(out.with_name(f"{out.name}-metadata.json"), writers.beside_csv(table, out.name))
        facts = {"layout": layout, "format": wanted, "rows": len(table.rows), "out": str(out) if out else None}
        self.say(options, facts, f"{table.title}: {len(table.rows)} rows in {out}")


def write(out: Path, content: bytes) -> None:
    try:
        out.write_bytes(content)
    except OSError as error:
        raise CallerMistake(f"--out {out}: {error.strerror}") from error
