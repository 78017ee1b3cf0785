"""What every command of the site shares: `--json`, and exit codes 0 done, 1 found or failed, 2 the caller's mistake."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from benchmarks.errors import StoreAway


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

    def execute(self, *args: Any, **options: Any) -> str | None:
        """A media store that is away is one clear line, too."""
        try:
            return super().execute(*args, **options)
        except CallerMistake as mistake:
            if not self._called_from_command_line:  # type: ignore[attr-defined]  # Django's own, not in its types
                raise
            # Django prints the name of the class before the message; ours would say nothing to whoever typed it.
            raise CommandError(str(mistake), returncode=mistake.returncode) from mistake
        except StoreAway as error:
            raise CommandError(str(error)) from error

    def say(self, options: dict[str, Any], facts: dict[str, Any], line: str) -> None:
        """Print the result: `facts` with --json, else the sentence."""
        self.stdout.write(json.dumps(facts, default=str) if options.get("as_json") else line)

    def note(self, options: dict[str, Any], line: str) -> None:
        """Print progress for people; silent with --json."""
        if not options.get("as_json"):
            self.stdout.write(line)
