"""What every command of the site shares: `--json`, and exit codes 0 done, 1 found or failed, 2 the caller's mistake."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class CallerMistake(CommandError):
    """The caller gave something that can't be: one clear line, nothing written, exit 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message, returncode=2)


class SiteCommand(BaseCommand):
    """Parse, call one function, print one line or (with --json) one object."""

    requires_system_checks: list[str] = []

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(*args, **kwargs)
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="print one JSON object and nothing else"
        )
        return parser

    def say(self, options: dict[str, Any], facts: dict[str, Any], line: str) -> None:
        """Print the result: `facts` with --json, else the sentence."""
        self.stdout.write(json.dumps(facts, default=str) if options.get("as_json") else line)

    def note(self, options: dict[str, Any], line: str) -> None:
        """Print progress for people; silent with --json."""
        if not options.get("as_json"):
            self.stdout.write(line)
