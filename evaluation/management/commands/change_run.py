from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from benchmarks.commands import ActionCommand, CallerMistake
from evaluation.models import Run, RunKind
from evaluation.referees.parse import PARSER, VERSION
from evaluation.referees.rubrics import RUBRICS
from evaluation.referees.scoring_runs import referee_run
from evaluation.runs.add_model import ensure_heuristics
from evaluation.runs.ceiling import set_ceiling
from evaluation.runs.lifecycle import cancel_run, resume_run, retry_run, set_priority, stop_runs
from evaluation.runs.spec import find_model, find_run
from evaluation.studies.cost_estimate import estimate
from evaluation.workers.rereading import (
    RereadReply,
    changes,
    check_parser,
    find_parser,
    read_again,
    read_verdicts_again,
    verdict_changes,
)
from evaluation.workers.run_command import PRIORITIES, RunCommand, add_wait, priority_named


class Command(RunCommand, ActionCommand):
    help = "Cancel, resume, retry, reread, prioritise or referee a run. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        about = "stop a run, or all of a user, or all there are; answers are kept, and resume continues each"
        cancelled = self.add_action(parser, "cancel", self.cancel, about)
        which = cancelled.add_mutually_exclusive_group(required=True)
        which.add_argument("run", type=int, nargs="?")
        which.add_argument("--of", metavar="USER", help="all runs in progress of this user, by name")
        which.add_argument("--all", action="store_true", help="all runs in progress: the emergency stop")
        resumed = self._add(parser, "resume", self.resume, "ask the unanswered questions of a run again")
        resumed.add_argument("--most-cost", type=float, help="new ceiling for the whole run, in the currency of prices")
        resumed.add_argument("--most-tokens", type=int, help="new ceiling for the whole run")
        add_wait(resumed)
        add_wait(self._add(parser, "retry", self.retry, "ask only the failed questions of a run again"))
        about = "parse a run's stored replies with another parser, a refereeing's with the current one; prints changes"
        reread = self._add(parser, "reread", self.reread, about)
        reread.add_argument("--parser", dest="reader", help="the run's own, in its present version, by default")
        reread.add_argument("--apply", action="store_true", help="add the readings and make them count")
        about = "set a run's priority, effective from its next shard"
        self._add(parser, "prioritise", self.prioritise, about).add_argument("priority", choices=PRIORITIES)
        about = "have a model score the answers of a run that has ended; again, and it scores those added since"
        refereed = self._add(parser, "referee", self.referee, about)
        refereed.add_argument("--referee", required=True, help="the model that scores, see list models")
        rubrics = f"each item's own by default; there is: {', '.join(RUBRICS)}"
        refereed.add_argument("--rubric", default="", help=rubrics)
        refereed.add_argument("--estimate", action="store_true", help="print an estimate and ask nothing")
        add_wait(refereed)

    def _add(self, parser: CommandParser, name: str, act: Callable[..., None], about: str) -> CommandParser:
        action = self.add_action(parser, name, act, about)
        action.add_argument("run", type=int)
        return action

    def cancel(self, *, run: int | None, of: str | None, **options: Any) -> None:
        if run is None:
            self.stop(options, owner=of)
            return
        found = find_run(run)
        was_going = cancel_run(run=found)
        facts = {"run": found.pk, "cells": found.cells.count(), "state": found.state}
        self.say(options, facts, f"run {found.pk}: {found.state}" if was_going else f"run {found.pk} had {found.state}")

    def stop(self, options: dict[str, Any], owner: str | None) -> None:
        users = User.objects.filter(username=owner) if owner is not None else [None]
        if not users:
            raise CallerMistake(f"--of {owner}: there is no such user")
        stopped = stop_runs(users[0])
        for one in stopped:
            self.note(options, f"run {one.pk}, {one.model.slug} {one.strategy}: benchsite change_run resume {one.pk}")
        self.say(options, {"stopped": [one.pk for one in stopped]}, f"stopped: {len(stopped)}; answers are kept")

    def resume(self, *, run: int, **options: Any) -> None:
        found = find_run(run)
        set_ceiling(run=found, cost=options["most_cost"], tokens=options["most_tokens"])
        lasting = found.cells.filter(is_lasting=True).count()
        more = f"; {lasting} more would fail again: change_run retry asks them, too" if lasting else ""
        self.note(options, f"{resume_run(run=found)} questions without an answer{more}")
        self.conclude(options, found)

    def retry(self, *, run: int, **options: Any) -> None:
        found = find_run(run)
        self.note(options, f"{retry_run(run=found)} failed questions")
        self.conclude(options, found)

    def reread(self, *, run: int, **options: Any) -> None:
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

    def prioritise(self, *, run: int, priority: str, **options: Any) -> None:
        found = find_run(run)
        set_priority(run=found, priority=priority_named(priority))
        self.say(options, {"run": found.pk, "priority": priority}, f"run {found.pk}: priority {priority}")

    def referee(self, *, run: int, referee: str, rubric: str, **options: Any) -> None:
        ensure_heuristics()
        judged, model = find_run(run), find_model(referee)
        expected = estimate(judged=judged, referee=model, rubric=rubric)
        if options["estimate"]:
            self.say(options, {"run": run, "referee": referee, **asdict(expected)}, expected.words)
            return
        self.note(options, expected.words)
        self.conclude(options, referee_run(run=judged, referee=model, rubric=rubric))


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
