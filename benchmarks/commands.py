"""Base of every command: `--json`, and exit codes 0 (done), 1 (findings or failure) and 2 (caller's mistake)."""

import json
import sys
from argparse import SUPPRESS
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from benchmarks.errors import BenchmarkError, StoreAway


class CallerMistake(CommandError):
    """Invalid input: prints one clear line, writes nothing, exits with 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message, returncode=2)


@contextmanager
def explaining_old_tables() -> Iterator[None]:
    """An error of a database with unapplied migrations becomes one line that says so."""
    try:
        yield
    except DatabaseError as error:
        if not (missing := count_missing_migrations()):
            raise
        raise CallerMistake(
            f"the database was not migrated (migrations to apply: {missing}): type `benchsite migrate` first"
        ) from error


def count_missing_migrations() -> int:
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


JSON = "print one JSON object and nothing else"
AS_JSON: dict[str, Any] = {"action": "store_true", "dest": "as_json"}


class SiteCommand(BaseCommand):
    """A command that parses, calls one function, and prints one line or (with --json) one object."""

    requires_system_checks: list[str] = []
    mistakes: tuple[type[Exception], ...] = (BenchmarkError,)  # the caller's: one line, exit code 2

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(*args, **kwargs)
        parser.add_argument("--json", help=JSON, **AS_JSON)
        return self.refusing_in_json(parser)

    def refusing_in_json(self, parser: CommandParser) -> CommandParser:
        """Let the parser print its mistakes as an object, too, if the command line has `--json`."""
        refuse = parser.error

        def error(message: str) -> None:
            if "--json" in sys.argv:
                self.say({"as_json": True}, {"error": message, "exit": 2}, "")
            refuse(message)

        parser.error = error  # type: ignore[method-assign]
        return parser

    has_spoken = False  # whether the only object of --json is printed

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command; a mistake or an absent media store becomes one line, with --json one object."""
        try:
            with explaining_old_tables():
                return self._execute(*args, **options)
        except (CommandError, StoreAway) as error:
            returncode = getattr(error, "returncode", 1)
            if options.get("as_json") and not self.has_spoken:
                self.say(options, {"error": str(error), "exit": returncode}, "")
            if isinstance(error, CommandError) and not self._speaks_to_a_terminal(error):
                raise
            # Django prints the name of the class before the message; our class name would tell users nothing.
            raise CommandError(str(error), returncode=returncode) from error

    def _execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except self.mistakes as error:
            raise CallerMistake(str(error)) from error

    def _speaks_to_a_terminal(self, error: CommandError) -> bool:
        called: bool = self._called_from_command_line  # type: ignore[attr-defined]  # Django's own, not in its types
        return called and isinstance(error, CallerMistake)

    def say(self, options: dict[str, Any], facts: dict[str, Any], line: str) -> None:
        """Print the result: `facts` with --json, else the sentence."""
        self.has_spoken = True
        self.stdout.write(json.dumps(facts, default=str) if options.get("as_json") else line)

    def note(self, options: dict[str, Any], line: str) -> None:
        """Print progress for people; silent with --json."""
        if not options.get("as_json"):
            self.stdout.write(line)


class ActionCommand(SiteCommand):
    """A command of several actions with their own options, such as `change_run resume 12`."""

    parser: CommandParser | None = None  # to which `actions` belong
    actions: Any

    def add_action(self, parser: CommandParser, name: str, act: Callable[..., None], about: str) -> CommandParser:
        """Add an action, which calls `act` with the options; returns the parser for its arguments."""
        if parser is not self.parser:
            self.parser, self.actions = parser, parser.add_subparsers(dest="action", metavar="ACTION", required=True)
        added: CommandParser = self.actions.add_parser(name, help=about, description=about)
        added.add_argument("--json", default=SUPPRESS, help=JSON, **AS_JSON)  # else it would reset `NAME --json ACTION`
        added.set_defaults(act=act)
        return self.refusing_in_json(added)

    def handle(self, *, act: Callable[..., None], **options: Any) -> None:
        act(**options)
