import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import ActionCommand, CallerMistake
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from leaderboard.board.query import BadAddress, view_of
from leaderboard.management.commands.export_table import write
from leaderboard.publications.snapshot import NothingToFreeze, content_of, store_snapshot
from leaderboard.publications.snapshot_verification import NotASnapshot, differences_in
from leaderboard.standings.refresh import refresh

PARTS = ("level", "strategy", "condition", "pack", "split", "group", "caution")


class Command(ActionCommand):
    help = "Freeze one view of a board in a file and at a citable address of the site, or verify such a file."
    mistakes = (BenchmarkError, BadAddress, NothingToFreeze)

    def add_arguments(self, parser: CommandParser) -> None:
        made = self.add_action(parser, "make", self.make, "freeze one view of a board")
        made.add_argument("slug")
        made.add_argument("--out", type=Path, required=True)
        for name in PARTS:
            made.add_argument(f"--{name}", default="", help="as in the address of the board")
        about = "recompute every number from the answers in the file; needs no database; exit 1 on any difference"
        self.add_action(parser, "verify", self.verify, about).add_argument("file", type=Path)

    def make(self, *, slug: str, out: Path, **options: Any) -> None:
        refresh()
        parameters = {name: options[name] for name in PARTS if options[name]}
        content = content_of(view_of(find_benchmark(slug), parameters))
        write(out, json.dumps(content, indent=1, ensure_ascii=False).encode())
        stored = store_snapshot(content)
        facts = {"snapshot": stored.slug, "path": str(out), "sha256": stored.sha256, "rows": len(content["rows"])}
        line = f"{stored.get_absolute_url()}: {len(content['rows'])} rows on {len(content['items'])} items, in {out}"
        self.say(options, facts | {"items": len(content["items"])}, line)

    def verify(self, *, file: Path, **options: Any) -> None:
        try:
            snapshot = json.loads(file.read_text(encoding="utf-8"))
            found = differences_in(snapshot)
        except OSError as error:
            raise CallerMistake(f"{file}: {error.strerror}") from error
        except (ValueError, NotASnapshot) as mistake:
            raise CallerMistake(f"{file}: {mistake}") from mistake
        except (KeyError, TypeError, IndexError, AttributeError) as mistake:
            raise CallerMistake(f"{file}: invalid form at {mistake}") from mistake
        good = f"{len(snapshot['rows'])} rows on {len(snapshot['items'])} items: every number follows from the answers"
        self.say(options, {"rows": len(snapshot["rows"]), "differences": found}, "\n".join(found) or good)
        if found:
            sys.exit(1)
