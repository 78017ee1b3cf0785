from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from evaluation.referees.rubrics import RUBRICS
from evaluation.referees.scoring_runs import referee_run
from evaluation.runs.builtin_models import ensure_heuristics
from evaluation.runs.lookup import find_model, find_run
from evaluation.studies.cost_estimate import estimate
from evaluation.workers.run_command import RunCommand, callers_mistakes


class Command(RunCommand):
    help = "Have a model score the answers of a run that has ended. Running it again scores the answers added since."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--referee", required=True, help="the model that scores, see list_models")
        parser.add_argument("--rubric", default="", help=f"each item's own by default; there is: {', '.join(RUBRICS)}")
        parser.add_argument("--estimate", action="store_true", help="print an estimate and ask nothing")
        parser.add_argument(
            "--wait", action="store_true", help="wait for its end; without a worker, work in this process"
        )

    def handle(self, *, run: int, referee: str, rubric: str, **options: Any) -> None:
        ensure_heuristics()
        with callers_mistakes():
            judged, model = find_run(run), find_model(referee)
            expected = estimate(judged=judged, referee=model, rubric=rubric)
            if options["estimate"]:
                self.say(options, {"run": run, "referee": referee, **asdict(expected)}, expected.words)
                return
            self.note(options, expected.words)
            stage = referee_run(run=judged, referee=model, rubric=rubric)
        self.conclude(options, stage)
