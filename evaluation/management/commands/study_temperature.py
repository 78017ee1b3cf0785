from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.definitions.registry import find_benchmark
from evaluation.models import Run, RunState
from evaluation.runs.builtin_models import ensure_heuristics
from evaluation.runs.lookup import find_model, find_pack
from evaluation.studies.cost_estimate import estimate_run
from evaluation.studies.temperature import averages_of, check_studied, samplings, start_study
from evaluation.workers.run_command import RunCommand, callers_mistakes

BENCHMARK = "giraffe"


class Command(RunCommand):
    help = (
        "Ask a model at temperatures 0.2, 0.7, 1.0 and at its default, each scored by a referee. Safe to run again:"
        " existing runs are kept. The page leaderboard/giraffe/temperatures/ compares the models' orders."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("model", help="slug, see list_models")
        parser.add_argument("--referee", required=True, help="the model that scores the answers")
        parser.add_argument("--pack", help="the newest of Giraffe-Bench by default")
        parser.add_argument("--strategy", default="patterns-images")
        parser.add_argument("--preset", default="", help="the model's settings in the paper, for example llava")
        parser.add_argument(
            "--wait", action="store_true", help="wait for the end of all; without a worker, work in this process"
        )

    def handle(self, *, model: str, referee: str, strategy: str, preset: str, **options: Any) -> None:
        ensure_heuristics()
        benchmark = find_benchmark(BENCHMARK)
        with callers_mistakes():
            levels = {way.name: benchmark.level(way.level) for way in benchmark.strategies}
            if strategy in levels:
                check_studied(strategy, levels[strategy].dimensions)
            wanted: dict[str, Any] = {
                "model": find_model(model),
                "pack": find_pack(BENCHMARK, options["pack"]),
                "strategy": strategy,
                "referee": find_model(referee),
            }
            planned = samplings(preset, BENCHMARK)
            expected = estimate_run(**wanted, sampling=planned[0])
            self.note(options, f"for the referee, each of {len(planned)} runs at its longest: {expected.words}")
            runs = start_study(**wanted, preset=preset)
        if options["wait"]:
            runs = {temperature: self.waited(options, run) for temperature, run in runs.items()}
        reports = [temperature_report(temperature, run) for temperature, run in runs.items()]
        self.say(options, {"model": model, "referee": referee, "runs": reports}, "\n".join(map(report_line, reports)))
        if options["wait"] and (bad := [run for run in runs.values() if run.state != RunState.FINISHED]):
            raise CommandError(f"run {bad[0].pk} {bad[0].state}: {bad[0].reason or 'it was cancelled'}")


def temperature_report(temperature: float, run: Run) -> dict[str, Any]:
    averages = {name: round(average, 6) for name, average in averages_of(run).items()}
    return {"temperature": temperature, "run": run.pk, "state": run.state, "averages": averages}


def report_line(one: dict[str, Any]) -> str:
    averages = ", ".join(f"{name} {100 * average:.2f}" for name, average in one["averages"].items())
    return f"temperature {one['temperature']:g}: run {one['run']}, {one['state']}{f', {averages}' if averages else ''}"
