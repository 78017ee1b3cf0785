from typing import Any

from django.core.management.base import CommandParser

from evaluation.runs.lifecycle import retry_run
from evaluation.runs.lookup import find_run
from evaluation.workers.run_command import RunCommand, callers_mistakes


class Command(RunCommand):
    help = "Ask only the failed questions of a run again. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument(
            "--wait", action="store_true", help="wait for its end; without a worker, work in this process"
        )

    def handle(self, *, run: int, **options: Any) -> None:
        with callers_mistakes():
            found = find_run(run)
            failed = retry_run(run=found)
        self.note(options, f"{failed} failed questions")
        self.conclude(options, found)
