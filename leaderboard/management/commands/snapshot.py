import json
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import ActionCommand, CallerMistake
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from leaderboard.board.query import BadAddress, view_of
from leaderboard.management.commands.export_table import write
from leaderboard.publications.snapshot import NothingToFreeze, content_of, store_snapshot
from leaderboard.publications.snapshot_verification import NotASnapshot, differences_in, proofs_of
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
        verified = self.add_action(parser, "verify", self.verify, about)
        verified.add_argument("file", type=Path)
        verified.add_argument("--key", type=_digits, help="the site's public key, from SITE/snapshots/key/")
        verified.add_argument("--sha256", type=_digits, help="the digest that was cited")

    def make(self, *, slug: str, out: Path, **options: Any) -> None:
        refresh()
        parameters = {name: options[name] for name in PARTS if options[name]}
        content = content_of(view_of(find_benchmark(slug), parameters))
        write(out, json.dumps(content, indent=1, ensure_ascii=False).encode())
        stored = store_snapshot(content)
        facts = {"snapshot": stored.slug, "path": str(out), "sha256": stored.sha256, "rows": len(content["rows"])}
        line = f"{stored.get_absolute_url()}: {len(content['rows'])} rows on {len(content['items'])} items, in {out}"
        self.say(options, facts | {"items": len(content["items"])}, line)

    def verify(self, *, file: Path, key: str | None, sha256: str | None, **options: Any) -> None:
        try:
            snapshot = json.loads(file.read_text(encoding="utf-8"))
            found = differences_in(snapshot, key=key or "", sha256=sha256 or "")
        except OSError as error:
            raise CallerMistake(f"{file}: {error.strerror}") from error
        except (ValueError, NotASnapshot) as mistake:
            raise CallerMistake(f"{file}: {mistake}") from mistake
        except (KeyError, TypeError, IndexError, AttributeError) as mistake:
            raise CallerMistake(f"{file}: invalid form at {mistake}") from mistake
        proofs = [] if found else proofs_of(snapshot, key or "")
        facts = {"rows": len(snapshot["rows"]), "differences": found, "proofs": proofs}
        self.say(options, facts, "\n".join(found or proofs))
        if found:
            sys.exit(1)


def _digits(text: str) -> str:
    """A key or digest as it is compared: 64 hexadecimal digits."""
    digits = text.strip().lower()
    if len(digits) != 64 or set(digits) - set("0123456789abcdef"):
        raise ArgumentTypeError("64 hexadecimal digits are wanted")
    return digits
