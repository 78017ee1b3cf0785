from typing import Any

from django.core.management.base import CommandParser

from evaluation.runs.lifecycle import set_priority
from evaluation.runs.lookup import find_run
from evaluation.workers.run_command import PRIORITIES, RunCommand, callers_mistakes, priority_named


class Command(RunCommand):
    help = "Set a run's priority, effective from its next shard. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("priority", choices=PRIORITIES)

    def handle(self, *, run: int, priority: str, **options: Any) -> None:
        with callers_mistakes():
            found = find_run(run)
            set_priority(run=found, priority=priority_named(priority))
        self.say(options, {"run": found.pk, "priority": priority}, f"run {found.pk}: priority {priority}")
