import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import SiteCommand
from benchmarks.errors import BenchmarkError
from benchmarks.progress_bar import FORM_WITH_DETAIL, Bar, progress_bar
from evaluation.errors import EvaluationError, RunMisused
from extensions.training import frequencies
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.trainer import ProgressReporter, TrainingOrder, carried_out
from extensions.training.registry import TRAINERS, trainer_for


class Command(SiteCommand):
    help = (
        "Train a baseline and register it as a model of the site, on clips that it makes or on a pack's training"
        " splits; frequencies counts the answers of those splits instead. Safe to run again: finished clips are kept,"
        " an interrupted training is resumed, and the same training is not repeated without --again."
    )
    mistakes = (TrainingMisused, BenchmarkError, RunMisused)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help=", ".join((*TRAINERS, frequencies.NAME)))
        parser.add_argument("--benchmark", required=True)
        parser.add_argument("--pack", default="", help="for baselines that learn from a pack")
        parser.add_argument("--seed", type=int, default=0, help="each seed is a model of its own; 0 has the plain name")
        parser.add_argument("--size", default="small", help="small: minutes on two cores; full: for a GPU")
        parser.add_argument("--weights", type=Path, metavar="DIR", help="folder for the weights")
        parser.add_argument("--backbones", type=Path, metavar="DIR", help="folder of pretrained weights")
        parser.add_argument("--again", action="store_true", help="even if the same training exists")

    def handle(self, *, name: str, **options: Any) -> None:
        try:
            if name == frequencies.NAME:
                self._counted(options)
            else:
                self._trained(name, options)
        except self.mistakes:
            raise
        except EvaluationError as error:
            raise CommandError(str(error)) from error

    def _counted(self, options: dict[str, Any]) -> None:
        """Fit CRAFT's heuristics: a model for each rule and setting."""
        models = frequencies.fit(options["benchmark"], options["pack"])
        slugs, fitted = [model.slug for model in models], models[0].card["trained_on"]
        line = f"{len(slugs)} models fitted on {fitted}: {', '.join(slugs)}"
        self.say(options, {"models": slugs, "fitted_on": fitted, "asked_on": models[0].options["asked_on"]}, line)

    def _trained(self, name: str, options: dict[str, Any]) -> None:
        chosen = {key: options[key] for key in ("benchmark", "seed", "size", "pack", "again", "backbones")}
        order = TrainingOrder(name, out=options["weights"], **chosen)
        watch = ProgressReporter(
            bar=lambda title: progress_bar(sys.stderr, title),
            note=lambda line: self.note(options, line),
            steps_bar=_steps_bar,
        )
        model, trained = carried_out(trainer_for(order), order, watch)
        facts = trained.facts
        line = (
            f"{model.name}: {facts['parameters']:,} parameters, {facts['seconds']:.0f} s of training"
            f" on {facts['clips']} clips, in {trained.path}"
        )
        self.say(options, {"model": model.slug, "path": str(trained.path)} | facts, line)


def _steps_bar(title: str) -> Bar | None:
    """A bar on a terminal; elsewhere the trainer prints lines, from the first step on."""
    return progress_bar(sys.stderr, title, FORM_WITH_DETAIL) if sys.stderr.isatty() else None
