from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.definitions.registry import find_benchmark
from evaluation.inputs.frames import CONDITIONS
from evaluation.prompting.presets import PAPER, sampling_of
from evaluation.referees.rubrics import RUBRICS
from evaluation.runs.add_model import ensure_heuristics
from evaluation.runs.ceiling import checked_ceiling
from evaluation.runs.lifecycle import start_run
from evaluation.runs.spec import find_model, find_pack
from evaluation.studies.cost_estimate import estimate_asking, estimate_run
from evaluation.workers.run_command import PRIORITIES, RunCommand, add_wait, facets, numbers, priority_named


class Command(RunCommand):
    help = "Ask a model the questions of a pack. Running it again starts another run of the same questions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--model", required=True, help="slug, see list models")
        parser.add_argument("--benchmark", required=True)
        parser.add_argument("--strategy", required=True, help="see list strategies")
        parser.add_argument(
            "--condition", help=f"what is shown: {', '.join(CONDITIONS)}; the strategy's own by default"
        )
        parser.add_argument("--pack", help="the newest of the benchmark by default")
        parser.add_argument("--split")
        parser.add_argument("--sampler", help="frames of a clip, for example uniform-8")
        parser.add_argument("--temperature", type=float)
        parser.add_argument("--max-new-tokens", type=int)
        parser.add_argument("--thinking", help="on, off, or the most tokens of thoughts; the model's own by default")
        parser.add_argument("--parser", dest="reader", help="parser of the replies; the benchmark's first by default")
        parser.add_argument("--referee", help="the model that scores the answers, see list models")
        parser.add_argument(
            "--rubric", default="", help=f"rubric for the referee; each item's own by default: {', '.join(RUBRICS)}"
        )
        parser.add_argument("--estimate", action="store_true", help="print an estimate and ask nothing")
        parser.add_argument("--most-cost", type=float, help="in the currency of the model's prices; never exceeded")
        parser.add_argument("--most-tokens", type=int, help="tokens read and written together; never exceeded")
        parser.add_argument("--priority", choices=PRIORITIES, default="normal")
        parser.add_argument("--preset", help="named settings: paper, or a model of Giraffe-Bench, for example llava")
        parser.add_argument("--only", default="", metavar="FACET=VALUE,…")
        parser.add_argument("--limit", type=int, help="largest number of questions; such a run gets no row")
        parser.add_argument("--seeds", help="0,1,2; 0 by default; of several wordings their numbers, all by default")
        add_wait(parser)

    def handle(self, **options: Any) -> None:
        wanted = run_arguments(options)
        if wanted["referee"]:
            expected = estimate_run(**wanted)
            words = f"for the referee, with answers at their longest: {expected.words}"
            if options["estimate"]:
                self.say(options, {"referee": wanted["referee"].slug, **asdict(expected)}, words)
                return
            self.note(options, words)
        elif options["estimate"]:
            own = estimate_asking(**wanted)
            self.say(options, {"model": wanted["model"].slug, **asdict(own)}, own.words)
            return
        run = start_run(**wanted)
        self.conclude(options, run)


def run_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `start_run` from the command's options."""
    find_benchmark(options["benchmark"])
    ensure_heuristics()
    preset = options["preset"] if options["preset"] != PAPER else None
    sampling = sampling_of(preset, options["benchmark"]) if preset else {}
    sampling |= {
        name: options[name] for name in ("temperature", "max_new_tokens", "thinking") if options[name] is not None
    }
    model = find_model(options["model"])
    return {
        "model": model,
        "pack": find_pack(options["benchmark"], options["pack"]),
        "seeds": seeds_of(options["seeds"], is_paper=options["preset"] == PAPER),
        "parser": options["reader"],
        "referee": find_model(options["referee"]) if options["referee"] else None,
        "rubric": options["rubric"],
        "priority": priority_named(options["priority"]),
        "sampling": sampling,
        "ceiling": checked_ceiling(model, cost=options["most_cost"], tokens=options["most_tokens"]),
        "only": facets(options["only"]),
        **{name: options[name] for name in ("strategy", "condition", "split", "sampler", "limit")},
    }


def seeds_of(text: str | None, *, is_paper: bool) -> tuple[int, ...]:
    """The given seeds, or 0 by default; the GRASP paper asks everything three times with different seeds."""
    return numbers("seeds", text) if text else (0, 1, 2) if is_paper else (0,)
