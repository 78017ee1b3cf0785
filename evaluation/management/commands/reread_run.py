from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from evaluation.models import Run, RunKind
from evaluation.referees.parse import PARSER, VERSION
from evaluation.runs.lookup import find_run
from evaluation.studies.referee_rereading import check_parser, read_verdicts_again, verdict_changes
from evaluation.workers.rereading import RereadReply, changes, find_parser, read_again
from evaluation.workers.run_command import RunCommand, callers_mistakes


class Command(RunCommand):
    help = (
        "Parse a run's stored replies with another parser, a refereeing's with the current one: prints the changes,"
        " writes with --apply. Safe to run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--parser", dest="reader", help="the run's own, in its present version, by default")
        parser.add_argument("--apply", action="store_true", help="add the readings and make them count")

    def handle(self, *, run: int, **options: Any) -> None:
        with callers_mistakes():
            found = find_run(run)
            reread = rereading_of(found, options["reader"])
        changed = list(reread.changes())
        if options["apply"]:
            reread.apply()
        for change in changed:
            self.note(options, f"{change.item} seed {change.seed}: {change.before} -> {change.after}: {change.reply!r}")
        facts = {"run": found.pk, "parser": reread.parser, "version": reread.version, "is_applied": options["apply"]}
        moved = sum(change.moves_score for change in changed)
        line = f"{len(changed)} replies read differently, {moved} scores move; " + (
            f"{reread.parser} {reread.version} counts now" if options["apply"] else "nothing is written without --apply"
        )
        self.say(options, facts | {"moved": moved, "changes": [asdict(change) for change in changed]}, line)


@dataclass(frozen=True)
class Reread:
    """A parser for a run's replies, the changes it would make, and the function that writes them."""

    parser: str
    version: str
    changes: Callable[[], Iterator[RereadReply]]
    apply: Callable[[], None]


def rereading_of(run: Run, reader: str | None) -> Reread:
    """The named parser for answers, or a refereeing's own; RunMisused names the existing ones."""
    if run.kind == RunKind.REFEREE:
        check_parser(reader)
        return Reread(PARSER, VERSION, partial(verdict_changes, run), partial(read_verdicts_again, stage=run))
    parser = find_parser(run, reader)
    return Reread(
        parser.name, parser.version, partial(changes, run, parser), partial(read_again, run=run, parser=parser)
    )
