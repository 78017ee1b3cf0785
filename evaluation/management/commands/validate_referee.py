from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake
from evaluation.models import Run, RunState
from evaluation.referees.validation_samples import SHARE
from evaluation.runs.add_model import ensure_heuristics
from evaluation.runs.spec import find_model, find_pack, find_run
from evaluation.studies.cost_estimate import estimate
from evaluation.studies.human_ratings import make_ratings
from evaluation.studies.validation_report import DatasetReport, Validation, validation_of
from evaluation.studies.validation_runs import missing_in, prepare, validate
from evaluation.workers.run_command import RunCommand, add_wait, numbers

BENCHMARK = "giraffe"
RATINGS = "ratings"


class Command(RunCommand):
    help = (
        "Have a referee score answers known to be right and irrelevant answers; afterwards boards list its scores. With"
        " --rating make a pack of predictions for people to rate by the same rubrics, blind to the model; then"
        " create_trial NAME --protocol giraffe-rating --pack PACK. Safe to run again: scored samples stay, failed ones"
        " are scored again, and the same predictions give the same pack."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("referee", nargs="?", help="the model that scores, see list models")
        parser.add_argument("--rating", metavar="RUNS", help="finished runs whose predictions people rate: 12,13")
        parser.add_argument("--count", type=int, default=60, help="with --rating: predictions, evenly from the runs")
        parser.add_argument("--benchmark", default=BENCHMARK)
        parser.add_argument("--pack", help="whose items; by default the newest, with --rating the new pack ratings")
        parser.add_argument(
            "--share", type=float, default=SHARE, help="of each data set's items; 0.15, as in the paper"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--paraphraser", help="the model that paraphrases labels; without one a rule does")
        parser.add_argument("--estimate", action="store_true", help="print an estimate and ask nothing")
        add_wait(parser)

    def handle(self, *, referee: str | None, **options: Any) -> None:
        if (referee is None) == (options["rating"] is None):
            raise CallerMistake("write the REFEREE to validate, or --rating RUNS")
        if referee is None:
            self._rating(options)
        else:
            self._validate(referee, **options)

    def _rating(self, options: dict[str, Any]) -> None:
        runs = [find_run(number) for number in numbers("rating", options["rating"])]
        name = options["pack"] or RATINGS
        made = make_ratings(runs=runs, count=options["count"], seed=options["seed"], name=name)
        predictions = made.items.values("key").distinct().count()
        facts = {"pack": made.name, "predictions": predictions, "items": made.items.count()}
        self.say(options, facts, f"pack {made.name}: {predictions} predictions, {facts['items']} questions about them")

    def _validate(self, referee: str, *, benchmark: str, **options: Any) -> None:
        ensure_heuristics()
        model = find_model(referee)
        pack = find_pack(benchmark, options["pack"])
        paraphraser = find_model(options["paraphraser"]) if options["paraphraser"] else None
        how = {"share": options["share"], "seed": options["seed"]}
        runs, problems = prepare(pack=pack, paraphraser=paraphraser, **how)
        expected = [estimate(judged=run, referee=model) for run in runs]
        for problem in problems:
            self.note(options, f"left out: {problem}")
        for run, one in zip(runs, expected, strict=True):
            self.note(options, f"{run.model.name}: {one.words}")
        if options["estimate"]:
            facts = {"referee": referee, "replies": sum(one.replies for one in expected), "problems": problems}
            self.say(options, facts, f"{facts['replies']} samples to score; nothing was asked")
            return
        stages = validate(referee=model, runs=runs)
        if options["wait"]:
            stages = [self.waited(options, stage) for stage in stages]
        self._conclude(options | {"benchmark": benchmark}, referee, stages, problems)

    def _conclude(self, options: dict[str, Any], referee: str, stages: list[Run], problems: list[str]) -> None:
        state = next((stage.state for stage in stages if stage.state != RunState.FINISHED), "finished")
        found = validation_of(referee, stages) if state == "finished" else None
        facts: dict[str, Any] = {"referee": referee, "runs": [stage.pk for stage in stages], "state": state}
        facts |= {"problems": problems, "missing": missing_in(stages), "next": next_command(referee, state, options)}
        facts |= {"parts": [data_set_report(part) for part in found.parts] if found else []}
        self.say(options, facts, report_text(facts, found))
        if options["wait"] and state != "finished":
            bad = next(stage for stage in stages if stage.state != RunState.FINISHED)
            raise CommandError(f"run {bad.pk} {bad.state}: {bad.reason or 'it was cancelled'}")


def next_command(referee: str, state: str, options: dict[str, Any]) -> str:
    """The next command: the same again until all samples are scored, then a run that this referee scores."""
    benchmark = options["benchmark"]
    if state == RunState.FINISHED:
        return f"benchsite start_run --model MODEL --benchmark {benchmark} --strategy NAME --referee {referee} --wait"
    same = [f"--{name} {options[name]}" for name in ("pack", "paraphraser") if options[name]]
    same += [f"--share {options['share']:g}"] if options["share"] != SHARE else []
    same += [f"--seed {options['seed']}"] if options["seed"] else []
    same += [f"--benchmark {benchmark}"] if benchmark != BENCHMARK else []
    return " ".join(["benchsite validate_referee", referee, *same, "--wait"])


def data_set_report(part: DatasetReport) -> dict[str, Any]:
    """The report of one data set as JSON; shares are 0 to 1."""
    facts: dict[str, Any] = {name: getattr(part, name) for name in ("dataset", "items", "scored", "unscored", "means")}
    facts["separation"] = found = part.separation
    if found:
        ends = [found.interval.low, found.interval.high]
        facts["separation"] = {"difference": found.difference, "interval": ends, "discriminates": found.discriminates}
    if part.errors:
        facts["errors"] = {name: getattr(part.errors, name) for name in ("positive", "negative", "sets", "accuracy")}
    return facts


def report_text(facts: dict[str, Any], found: Validation | None) -> str:
    """What was found, or what is missing, and the next command."""
    text = f"{facts['referee']}: {facts['state']}"
    if found is None:
        return (
            f"{text}; {facts['missing']} samples are not scored yet, and its points are listed when all are\n"
            f"next: {facts['next']}   (continues where this ended; `add_model` corrects an address that gave no reply)"
        )
    lines = [text]
    for part in found.parts:
        both = ", ".join(
            f"{kind} {100 * average:.2f}" for kind in part.means if (average := part.average(kind)) is not None
        )
        errors = part.errors
        share = errors.accuracy if errors else None
        exact = "" if share is None or errors is None else f"; accuracy {100 * share:.1f} % of {errors.sets} sets"
        separates = part.separation is None or part.separation.discriminates
        mark = "" if separates else "; does not discriminate: the interval of positive less random holds 0"
        lines.append(f"{part.dataset}: {both}{exact}; {part.items} items, {part.unscored} unscored{mark}")
    return "\n".join([*lines, f"next: {facts['next']}"])
