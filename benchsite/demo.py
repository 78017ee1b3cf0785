"""The demo content: small generated packs, models with answers, studies to take part in, and simulated participants.

Every step first looks for what exists, so the demo can be stopped anywhere and run again.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from benchmarks.generation.generate import make_production
from benchmarks.models import Pack, Production, ProductionState
from evaluation.models import Model, Priority, Run, RunState
from evaluation.runs.builtin_models import ensure_heuristics
from evaluation.runs.lifecycle import start_run
from evaluation.training import frequencies
from evaluation.training.core.checkpoints import standing_at
from evaluation.training.core.trainer import TrainingOrder
from evaluation.training.plausibility.recipes import RECIPES
from evaluation.training.registry import trainer_for
from humantrials.models import Trial, TrialState
from humantrials.studies.lifecycle import create_trial, open_trial

BENCHMARK, PACK = "grasp", "demo"
SEED = 2024
# Contents of each pack; `count` is clips per scene, pairs of objects, image sequences per scenario, videos per scene.
PACKS: dict[str, dict[str, Any]] = {
    BENCHMARK: {"count": 2, "size": (640, 480), "fps": 10},
    "tapped": {"count": 24, "size": (320, 180), "fps": 25, "look": "plain"},  # sixteen clips, with sound
    "giraffe": {"count": 2, "size": (320, 320)},
    "craft": {"count": 16, "size": (256, 256), "fps": 60},
}
FOLDERS = {BENCHMARK: "demo-clips", "tapped": "demo-pairs", "giraffe": "demo-patterns", "craft": "demo-videos"}
HEURISTICS = ("always-yes", "random")
STRATEGIES = ("binary", "plausibility")
JUDGED = ("plausibility", "plausibility-likelihood")
SOUNDS = ("audio", "no-audio")
VIDEO_NETWORK = TrainingOrder("grasp-video", BENCHMARK, size="motion")
LISTENER = TrainingOrder("tapped-small", "tapped", size="tiny")
CRAFT_NETWORKS = {
    TrainingOrder("lstm", "craft", pack=PACK): {"condition": "question-only"},
    TrainingOrder("lstm-cnn-v", "craft", pack=PACK): {"sampler": "uniform-8"},
}
COUNTED = ("craft-at-random", "craft-mfa", "craft-at-mfa", "craft-template-mfa")
SETTINGS = ("easy-test", "hard-test")
TALKING = TrainingOrder("grasp-small", BENCHMARK)
PREDICTORS = (
    TrainingOrder("grasp-predictor", BENCHMARK),
    TrainingOrder("grasp-predictor", BENCHMARK, size="untrained"),
)
SIMULATED, MOST_PEOPLE = "simulated-demo", 200
# Protocol -> name and title of a study taken by simulated participants at the very end; its rows are labelled as such.
BEYOND = {
    "grasp-twins": ("simulated-twins", "Which of the two is impossible?"),
    "grasp-moment": ("simulated-moments", "When did it break?"),
    "grasp-frames": ("simulated-stills", "Plausible or not, from stills?"),
}
TRIED = 31  # answers to each item of a study to try: 124 sheets
STANDARD_ERROR = 2  # file descriptor for everything but results

Say = Callable[[str], None]


def make_pack(say: Say, benchmark: str = BENCHMARK) -> Pack:
    """The benchmark's demo pack, generated and imported unless it exists; pages show the progress."""
    if standing := Pack.objects.filter(benchmark=benchmark, name=PACK).first():
        return standing
    wanted = PACKS[benchmark]
    say(f"Making clips of {benchmark}: {', '.join(f'{name} {value}' for name, value in wanted.items())}")
    out = Path(settings.VAR_DIR) / FOLDERS[benchmark]
    return make_production(benchmark=benchmark, pack_name=PACK, out=out, seed=SEED, **wanted)


@contextmanager
def announced() -> Iterator[None]:
    """Announce on pages which packs are still to be made; unfinished ones are no longer announced afterwards."""
    for benchmark in PACKS:
        if not Pack.objects.filter(benchmark=benchmark, name=PACK).exists():
            Production.objects.get_or_create(benchmark=benchmark, pack_name=PACK)
    try:
        yield
    finally:
        Production.objects.filter(pack_name=PACK, state=ProductionState.WAITING, order={}).delete()


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


def ask(pack: Pack, model: Model, strategies: Iterable[str], **how: Any) -> Iterator[Run]:
    """Queue the runs of this model that do not exist yet; `how` are further arguments of `start_run`."""
    for strategy in strategies:
        options = {name: value for name, value in how.items() if name != "priority"}
        standing = Run.objects.filter(model=model, pack=pack, strategy=strategy, **options).exclude(
            state__in=(RunState.FAILED, RunState.CANCELLED)
        )
        yield standing.first() or start_run(model=model, pack=pack, strategy=strategy, **how)


def ask_about_pairs(pack: Pack, model: Model) -> list[Run]:
    """Runs with and without sound."""
    return [run for condition in SOUNDS for run in ask(pack, model, ("pair",), condition=condition)]


def make_trial(pack: Pack, slug: str, title: str, *, protocol: str = "grasp-plausibility", **more: object) -> Trial:
    """A short study on the demo pack, open to every visitor."""
    trial = Trial.objects.filter(slug=slug).first() or create_trial(
        slug=slug, protocol=protocol, pack=pack, seed=SEED, settings={"seal": False, **more}, title=title
    )
    if trial.state == TrialState.DRAFT:
        open_trial(trial=trial)
    return trial


def make_trial_to_try(pack: Pack, slug: str, title: str, *, protocol: str = "grasp-plausibility") -> Trial:
    """A study of so many sheets that a few visitors never fill it, and so become no row of people."""
    return make_trial(pack, slug, title, protocol=protocol, replicates=TRIED)


def simulate_people(say: Say, pack: Pack, site: str) -> None:
    """Have simulated participants take a study of their own over HTTP; its row is labelled as simulated."""
    trial = make_trial(pack, SIMULATED, "Plausible or not? The demo clips", confidence="5")
    let_simulated_people_take(say, trial, site)


def simulate_beyond(say: Say, pack: Pack, site: str) -> None:
    """Simulated participants for twins, moments and stills."""
    for protocol, (slug, title) in BEYOND.items():
        let_simulated_people_take(say, make_trial(pack, slug, title, protocol=protocol), site)


def let_simulated_people_take(say: Say, trial: Trial, site: str) -> None:
    if not trial.is_simulated:
        say(f"Simulated people take {trial.slug}")
        call_command(
            "simulate_trial", trial.slug, base_url=site, participants=MOST_PEOPLE, seed=SEED, verbosity=0, concurrency=2
        )


def make_demo(say: Say, site: str) -> list[Run]:
    """The demo content in the order of visitors' interest; `site` is the site's address.

    Each network learns on one core while the other core makes the next content.
    """
    with trained_beside(say, VIDEO_NETWORK) as network:
        pack = make_pack(say)
        ensure_heuristics()
        guesser = Model.objects.get(slug="random")
        runs = [run for slug in HEURISTICS for run in ask(pack, Model.objects.get(slug=slug), STRATEGIES)]
        make_trial_to_try(pack, "try-it", "Try it: plausible or not?")
        with trained_beside(say, LISTENER) as listener:
            simulate_people(say, pack, site)
            pairs = make_pack(say, "tapped")
            runs += ask_about_pairs(pairs, guesser)
            title = "Try it: which of the two, by sight and sound?"
            make_trial_to_try(pairs, "listen", title, protocol="tapped-audio")
            runs += ask(pack, network(), JUDGED, sampler=RECIPES[VIDEO_NETWORK.size].sampler)
            runs += ask_about_pairs(pairs, listener())
    say("The first demo content is ready; the worker is answering")
    return runs


def make_further_runs(say: Say, site: str) -> list[Run]:
    """The rest of the demo: patterns, CRAFT with its counted and trained models, and a model that writes replies."""
    behind = {"priority": Priority.LOW}
    patterns = make_pack(say, "giraffe")
    runs = list(ask(patterns, Model.objects.get(slug="random"), ("patterns-choice",), **behind))
    videos = make_pack(say, "craft")
    frequencies.fit("craft", PACK)
    for split in SETTINGS:
        for slug in COUNTED:
            runs += ask(videos, Model.objects.get(slug=slug), ("craft",), split=split, **behind)
    for order, how in CRAFT_NETWORKS.items():
        with trained_beside(say, order) as network:
            for split in SETTINGS:
                runs += ask(videos, network(), ("craft",), split=split, **how, **behind)
    for order in PREDICTORS:
        with trained_beside(say, order) as predictor:
            runs += ask(make_pack(say), predictor(), ("surprise", "moment"), sampler="uniform-32", **behind)
    with trained_beside(say, TALKING) as talking:
        runs += ask(
            make_pack(say), talking(), (*STRATEGIES, "binary-cot", "plausibility-likelihood", "moment"), **behind
        )
    simulate_beyond(say, make_pack(say), site)
    say("All demo content is ready")
    return runs
