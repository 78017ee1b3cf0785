import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from benchmarks.progress_bar import progress_bar
from benchmarks.registry import find_benchmark
from evaluation.errors import RunMisused
from evaluation.training import frequencies
from evaluation.training.fusion import baseline as fusion
from evaluation.training.learning import Trained, TrainingMisused, find_baseline, standing, train
from evaluation.training.material import make_clips
from evaluation.training.recipes import BASELINES
from evaluation.training.registering import register


class Command(SiteCommand):
    help = (
        "Make training clips, train a baseline and register it as a model of the site; frequencies counts the answers"
        " of a pack's training splits instead. Safe to run again: finished clips are kept, an interrupted training goes"
        " on, and the same training is not repeated without --again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help=", ".join((*BASELINES, fusion.NAME, frequencies.NAME)))
        parser.add_argument("--benchmark", required=True)
        parser.add_argument("--pack", default="", help="for baselines that learn from a pack")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--size", default="small", help="small: a minute on two cores; full: for a GPU")
        parser.add_argument("--weights", type=Path, metavar="DIR", help="where the weights are put")
        parser.add_argument("--again", action="store_true", help="also when the same training stands")

    def handle(self, *, name: str, **options: Any) -> None:
        if name == frequencies.NAME:
            self._counted(options)
            return
        try:
            trained = self._fused(options) if name == fusion.NAME else self._trained(name, options)
        except (TrainingMisused, BenchmarkError) as error:
            raise CallerMistake(str(error)) from error
        model = fusion.register(trained) if name == fusion.NAME else register(name, trained)
        facts = trained.facts
        line = (
            f"{model.name}: {facts['parameters']:,} parameters, {facts['seconds']:.0f} s of training"
            f" on {facts['clips']} clips, in {trained.path}"
        )
        self.say(options, {"model": model.slug, "path": str(trained.path)} | facts, line)

    def _counted(self, options: dict[str, Any]) -> None:
        """CRAFT's heuristics, a model for each rule and setting."""
        try:
            models = frequencies.fit(options["benchmark"], options["pack"])
        except (TrainingMisused, BenchmarkError, RunMisused) as error:
            raise CallerMistake(str(error)) from error
        slugs, fitted = [model.slug for model in models], models[0].card["trained_on"]
        line = f"{len(slugs)} models fitted on {fitted}: {', '.join(slugs)}"
        self.say(options, {"models": slugs, "fitted_on": fitted, "asked_on": models[0].options["asked_on"]}, line)

    def _fused(self, options: dict[str, Any]) -> Trained:
        """The small model of pairs, which learns from recordings that are made and forgotten."""
        if find_benchmark(options["benchmark"]).slug != fusion.BENCHMARK or options["pack"]:
            raise TrainingMisused(f"{fusion.NAME} is a baseline of {fusion.BENCHMARK} and makes its own objects")
        how = {"seed": options["seed"], "size": options["size"]}
        out = (options["weights"] or Path(settings.VAR_DIR) / "models" / fusion.SLUG).resolve()
        if not options["again"] and (found := fusion.standing(out=out, **how)):
            self.note(options, f"{out}: this training stands already")
            return found
        recordings, steps = progress_bar(sys.stderr, "Objects"), progress_bar(sys.stderr, "Training")
        return fusion.trained(out=out, recordings=recordings, steps=steps, **how)

    def _trained(self, name: str, options: dict[str, Any]) -> Trained:
        baseline, recipe = find_baseline(name, options["size"])
        if find_benchmark(options["benchmark"]).slug != baseline.benchmark:
            raise TrainingMisused(f"{name} is a baseline of {baseline.benchmark}, not of {options['benchmark']}")
        if options["pack"]:
            raise TrainingMisused(f"{name} makes its own clips: leave --pack out")
        how = {"seed": options["seed"], "size": options["size"]}
        out = (options["weights"] or Path(settings.VAR_DIR) / "models" / baseline.slug).resolve()
        if not options["again"] and (found := standing(name, out=out, **how)):
            self.note(options, f"{out}: this training stands already")
            return found
        folder = Path(settings.VAR_DIR) / "training" / f"{name}-{options['size']}"
        clips = make_clips(baseline, recipe, folder, progress_bar(sys.stderr, "Clips"))
        steps = progress_bar(sys.stderr, "Training")
        return train(name, clips=clips, out=out, progress=lambda at, of, loss: steps and steps(at, of), **how)
