from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from evaluation.commanding import RunCommand, callers_mistakes
from evaluation.naming import find_run
from evaluation.rereading import changes, find_parser, read_again


class Command(RunCommand):
    help = "Read a run's kept replies with another parser: prints what changes, writes with --apply. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--parser", dest="reader", help="the run's own, in its present version, by default")
        parser.add_argument("--apply", action="store_true", help="add the readings, and let them count")

    def handle(self, *, run: int, **options: Any) -> None:
        with callers_mistakes():
            found = find_run(run)
            parser = find_parser(found, options["reader"])
        changed = list(changes(found, parser))
        if options["apply"]:
            read_again(run=found, parser=parser)
        for change in changed:
            self.note(options, f"{change.item} seed {change.seed}: {change.before} -> {change.after}: {change.reply!r}")
        facts = {"run": found.pk, "parser": parser.name, "version": parser.version, "is_applied": options["apply"]}
        moved = sum(change.moves_score for change in changed)
        line = f"{len(changed)} replies read differently, {moved} scores move; " + (
            f"{parser.name} {parser.version} counts now" if options["apply"] else "nothing is written without --apply"
        )
        self.say(options, facts | {"moved": moved, "changes": [asdict(change) for change in changed]}, line)
