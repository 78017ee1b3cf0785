from typing import Any

from django.core.management.base import CommandParser

from evaluation.runs.ceiling import set_ceiling
from evaluation.runs.lifecycle import resume_run
from evaluation.runs.lookup import find_run
from evaluation.workers.run_command import RunCommand, callers_mistakes


class Command(RunCommand):
    help = "Ask the unanswered questions of a failed, cancelled or stuck run again. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--most-cost", type=float, help="new ceiling for the whole run, in the currency of prices")
        parser.add_argument("--most-tokens", type=int, help="new ceiling for the whole run")
        parser.add_argument(
            "--wait", action="store_true", help="wait for its end; without a worker, work in this process"
        )

    def handle(self, *, run: int, **options: Any) -> None:
        with callers_mistakes():
            found = find_run(run)
            set_ceiling(run=found, cost=options["most_cost"], tokens=options["most_tokens"])
            missing = resume_run(run=found)
        self.note(options, f"{missing} questions without an answer")
        self.conclude(options, found)
