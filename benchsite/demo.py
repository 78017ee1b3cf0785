"""The demo content: a small generated pack, models that answered it, and trials to take part in.

Every step first looks for what exists, so that it can be stopped anywhere and run again.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from benchmarks.generation.generate import make_production
from benchmarks.models import Pack
from evaluation.models import Model, Run, RunState
from evaluation.runs.builtin_models import ensure_heuristics
from evaluation.runs.lifecycle import start_run
from evaluation.training.video_language.recipes import BASELINES
from evaluation.training.video_language.train import standing
from humantrials.models import Trial, TrialState
from humantrials.studies.lifecycle import create_trial, open_trial

BENCHMARK, PACK = "grasp", "demo"
SEED = 2024
COUNT = 2  # clips a scene
SIZE, FPS = (320, 240), 25
TRAINED = "grasp-small"
# Which models answer: two heuristics, and the one trained here.
HEURISTICS = ("always-yes", "random")
STRATEGIES = ("binary", "plausibility")
PAIRS = 12  # of objects, both heard and seen: eight clips
PAIR_SIZE, PAIR_FPS = (320, 180), 25
PATTERNS, PATTERN_SIZE = 2, (320, 320)  # image sequences a scenario, in pixels
STANDARD_ERROR = 2  # file descriptor for everything but results
SOUNDS = ("audio", "no-audio")

Say = Callable[[str], None]


def make_pack(say: Say) -> Pack:
    """Generate and import the demo pack; pages show its progress."""
    line = f"Making clips: {COUNT} a scene, {SIZE[0]}×{SIZE[1]}, {FPS} frames a second"
    return _made(say, line, BENCHMARK, "demo-clips", count=COUNT, size=SIZE, fps=FPS)


def make_pairs(say: Say) -> Pack:
    """Generate and import a few pairs of objects with sound, unless they exist."""
    line = f"Making {PAIRS} pairs of objects that are heard and seen"
    return _made(say, line, "tapped", "demo-pairs", count=PAIRS, size=PAIR_SIZE, fps=PAIR_FPS)


def make_patterns(say: Say) -> list[Run]:
    """Generate and import patterns of Giraffe-Bench, behind all else; the guesser answers those with four choices."""
    line = f"Making patterns of Giraffe-Bench: {PATTERNS} a scenario"
    pack = _made(say, line, "giraffe", "demo-patterns", count=PATTERNS, size=PATTERN_SIZE)
    return list(ask(pack, Model.objects.get(slug="random"), ("patterns-choice",)))


def _made(say: Say, line: str, benchmark: str, folder: str, **wanted: Any) -> Pack:
    """The demo pack of this benchmark, generated unless it exists."""
    standing = Pack.objects.filter(benchmark=benchmark, name=PACK).first()
    if standing:
        return standing
    say(line)
    out = Path(settings.VAR_DIR) / folder
    return make_production(benchmark=benchmark, pack_name=PACK, out=out, seed=SEED, **wanted)


def ask_about_pairs(pack: Pack) -> Iterator[Run]:
    """Runs with and without sound, by a model that can be asked in both conditions."""
    model = Model.objects.get(slug="random")
    for condition in SOUNDS:
        standing = Run.objects.filter(model=model, pack=pack, strategy="pair", condition=condition)
        known = standing.exclude(state__in=(RunState.FAILED, RunState.CANCELLED)).first()
        yield known or start_run(model=model, pack=pack, strategy="pair", condition=condition)


@contextmanager
def trained_beside(say: Say) -> Iterator[Callable[[], Model]]:
    """Train the small model on clips of other seeds, unless it exists, while the caller makes other things.

    It runs in its own process on one core: two threads of so small a model wait for each other half of the time.
    Yields a function that waits for the model and raises CommandError on failure; the process itself prints why.
    """
    if known := _trained():
        yield lambda: known
        return
    say("Training a small video-language model on clips of other seeds")
    command = [sys.executable, "manage.py", "train_baseline", TRAINED, "--benchmark", BENCHMARK]
    alone = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, cwd=settings.BASE_DIR, env=alone, stdout=STANDARD_ERROR) as process:

        def model() -> Model:
            if code := process.wait():
                why = f"signal {-code} ended it" if code < 0 else "why stands above"
                raise CommandError(f"{TRAINED} could not be trained: {why}; the same command goes on from there")
            return Model.objects.get(slug=BASELINES[TRAINED].slug)

        try:
            yield model
        finally:
            if process.poll() is None:
                process.terminate()


def _trained() -> Model | None:
    """The model if both row and weights exist; checked here, because the training process takes seconds to start."""
    slug = BASELINES[TRAINED].slug
    weights = Path(settings.VAR_DIR) / "models" / slug
    stands = standing(TRAINED, seed=0, size="small", out=weights)
    return Model.objects.filter(slug=slug).first() if stands else None


def ask(pack: Pack, model: Model, strategies: tuple[str, ...]) -> Iterator[Run]:
    """Queue the runs of this model that do not exist yet."""
    for strategy in strategies:
        standing = Run.objects.filter(model=model, pack=pack, strategy=strategy).exclude(
            state__in=(RunState.FAILED, RunState.CANCELLED)
        )
        yield standing.first() or start_run(model=model, pack=pack, strategy=strategy)


def make_trial(pack: Pack, slug: str, title: str, *, seal: bool = False, protocol: str = "grasp-plausibility") -> Trial:
    """A short trial on the demo pack, open to every visitor."""
    trial = Trial.objects.filter(slug=slug).first() or create_trial(
        slug=slug, protocol=protocol, pack=pack, seed=SEED, settings={"seal": seal}, title=title
    )
    if trial.state == TrialState.DRAFT:
        open_trial(trial=trial)
    return trial


def make_demo(say: Say) -> list[Run]:
    """Make all demo content, in the order in which a visitor wants to see it."""
    with trained_beside(say) as trained:
        pack = make_pack(say)
        ensure_heuristics()
        runs = [run for slug in HEURISTICS for run in ask(pack, Model.objects.get(slug=slug), STRATEGIES)]
        make_trial(pack, "try-it", "Try it: plausible or not?")
        pairs = make_pairs(say)
        runs += ask_about_pairs(pairs)
        make_trial(pairs, "listen", "Try it: which of the two, by sight and sound?", protocol="tapped-audio")
        runs += ask(pack, trained(), (*STRATEGIES, "binary-cot"))
    say("The demo content stands; the worker is answering")
    return runs
