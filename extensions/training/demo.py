"""The demo's networks: each learns on one core while the other core makes the next content."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from benchmarks.models import Pack
from evaluation.models import Model, Priority, Run
from evaluation.runs.lifecycle import ensure_runs
from extensions.training import frequencies
from extensions.training.core.checkpoints import standing_at
from extensions.training.core.trainer import TrainingOrder
from extensions.training.plausibility.trainer import RECIPES
from extensions.training.registry import trainer_for

PACK = "demo"
COUNTED = ("craft-at-random", "craft-mfa", "craft-at-mfa", "craft-template-mfa")
SETTINGS = ("easy-test", "hard-test")
VIDEO_NETWORK = TrainingOrder("grasp-video", "grasp", size="motion")
LISTENER = TrainingOrder("tapped-small", "tapped", size="tiny")
CRAFT_NETWORKS: dict[TrainingOrder, dict[str, Any]] = {
    TrainingOrder("lstm", "craft", pack=PACK): {"condition": "question-only"},
    TrainingOrder("lstm-cnn-v", "craft", pack=PACK): {"sampler": "uniform-8"},
}
TALKING = TrainingOrder("grasp-small", "grasp")
PREDICTORS = (TrainingOrder("grasp-predictor", "grasp"), TrainingOrder("grasp-predictor", "grasp", size="untrained"))
JUDGED = ("plausibility", "plausibility-likelihood")
TALKED = ("binary", "plausibility", "binary-cot", "plausibility-likelihood", "moment")
SOUNDS = ("audio", "no-audio")
STANDARD_ERROR = 2  # file descriptor for everything but results

Say = Callable[[str], None]
MakePack = Callable[[Say, str], Pack]
Asking = Callable[[Pack], list[Run]]


def beside(say: Say, benchmark: str) -> AbstractContextManager[Asking]:
    """Train the network of this benchmark's first demo content meanwhile; gives what asks it about the pack."""
    begin = {"grasp": _judging, "tapped": _listening}.get(benchmark)
    return begin(say) if begin else nullcontext(lambda pack: [])


@contextmanager
def _judging(say: Say) -> Iterator[Asking]:
    sampler = RECIPES[VIDEO_NETWORK.size].sampler
    with trained_beside(say, VIDEO_NETWORK) as network:
        yield lambda pack: list(ensure_runs(pack, network(), JUDGED, sampler=sampler))


@contextmanager
def _listening(say: Say) -> Iterator[Asking]:
    with trained_beside(say, LISTENER) as listener:
        yield lambda pack: [
            run for condition in SOUNDS for run in ensure_runs(pack, listener(), ("pair",), condition=condition)
        ]


def further(say: Say, make_pack: MakePack, site: str) -> Iterator[Run]:
    """CRAFT's counted and trained models, the predictors, and a model that writes replies, one after the other."""
    behind = {"priority": Priority.LOW}
    videos = make_pack(say, "craft")
    frequencies.fit("craft", PACK)
    for split in SETTINGS:
        for slug in COUNTED:
            yield from ensure_runs(videos, Model.objects.get(slug=slug), ("craft",), split=split, **behind)
    for order, how in CRAFT_NETWORKS.items():
        with trained_beside(say, order) as network:
            for split in SETTINGS:
                yield from ensure_runs(videos, network(), ("craft",), split=split, **how, **behind)
    clips = make_pack(say, "grasp")
    for order in PREDICTORS:
        with trained_beside(say, order) as predictor:
            yield from ensure_runs(clips, predictor(), ("surprise", "moment"), sampler="uniform-32", **behind)
    with trained_beside(say, TALKING) as talking:
        yield from ensure_runs(clips, talking(), TALKED, **behind)


@contextmanager
def trained_beside(say: Say, order: TrainingOrder) -> Iterator[Callable[[], Model]]:
    """Train this network unless it exists, while the caller makes other content.

    It runs in its own process on one core: two threads of so small a model wait for each other half of the time. Yields
    a function that waits for the model and raises CommandError on failure; the process itself prints why.
    """
    if known := _trained(order):
        yield lambda: known
        return
    say(f"Training {order.name}")
    command = [sys.executable, "-m", "benchsite.cli", "train_baseline", order.name, "--benchmark", order.benchmark]
    command += ["--size", order.size, *(["--pack", order.pack] if order.pack else [])]
    alone = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=settings.BASE_DIR, env=alone, stdout=STANDARD_ERROR) as process:

        def model() -> Model:
            if code := process.wait():
                why = f"signal {-code} ended it" if code < 0 else "why stands above"
                raise CommandError(f"{order.name} could not be trained: {why}; the same command continues from there")
            return Model.objects.get(slug=trainer_for(order).slug(order))

        try:
            yield model
        finally:
            if process.poll() is None:
                process.terminate()


def _trained(order: TrainingOrder) -> Model | None:
    """The model if row and weights both exist; checked here because the training process takes seconds to start."""
    trainer = trainer_for(order)
    trainer.check(order)
    slug = trainer.slug(order)
    stands = standing_at(Path(settings.VAR_DIR) / "models" / slug, trainer.key(order))
    return Model.objects.filter(slug=slug).first() if stands else None
