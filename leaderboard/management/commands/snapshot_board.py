"""`manage.py snapshot_board SLUG --out FILE`."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import UnknownBenchmark, find_benchmark
from leaderboard.board.query import BadAddress, view_of
from leaderboard.management.commands.export_table import write
from leaderboard.publications.snapshot import NothingToFreeze, content_of, store_snapshot
from leaderboard.standings.refresh import refresh

PARTS = ("level", "strategy", "condition", "pack", "split", "group", "caution")


class Command(SiteCommand):
    help = "Freeze one view of a board in a file and at a citable address of the site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True)
        for name in PARTS:
            parser.add_argument(f"--{name}", default="", help="as in the address of the board")

    def handle(self, *, slug: str, out: Path, **options: Any) -> None:
        refresh()
        parameters = {name: options[name] for name in PARTS if options[name]}
        try:
            content = content_of(view_of(find_benchmark(slug), parameters))
        except (UnknownBenchmark, BadAddress, NothingToFreeze) as mistake:
            raise CallerMistake(str(mistake)) from mistake
        write(out, json.dumps(content, indent=1, ensure_ascii=False).encode())
        stored = store_snapshot(content)
        facts = {"snapshot": stored.slug, "path": str(out), "sha256": stored.sha256, "rows": len(content["rows"])}
        line = f"{stored.get_absolute_url()}: {len(content['rows'])} rows on {len(content['items'])} items, in {out}"
        self.say(options, facts | {"items": len(content["items"])}, line)
