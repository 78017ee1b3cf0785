"""`manage.py verify_snapshot FILE`."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from leaderboard.publications.snapshot_verification import NotASnapshot, differences_in


class Command(SiteCommand):
    help = "Recompute every number of a frozen board from the answers in its file. Needs no database; only reads."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
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
