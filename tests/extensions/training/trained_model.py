"""The site's own trained model and clips that test it, made once for all tests and cached between sessions.

The cache's name is a hash over the recipe and all code behind it, so a change trains the model again. With
TRAINED=whole (`make soak PART=training`) it has the site's size; else it is smaller and learns only colours.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.test import override_settings

from benchmarks.definitions.registry import find_benchmark
from benchmarks.generation.generate import generate
from extensions.training.core.checkpoints import Trained, standing_at
from extensions.training.core.trainer import ProgressReporter, TrainingOrder
from extensions.training.video_language.recipes import RECIPES
from extensions.training.video_language.trainer import SeeingTrainer

ROOT = Path(__file__).resolve().parents[3]
IS_WHOLE = os.environ.get("TRAINED") == "whole"
NAME, SIZE, SEED = "grasp-small", "small" if IS_WHOLE else "quick", 0
TESTS = ("Shape", "Color") if IS_WHOLE else ("Color",)
QUICK = replace(
    RECIPES["small"],
    clips={"Color": 24},
    shares={"Color": 1},
    picture_size=48,
    sight_width=32,
    speech_width=32,
    frames=2,
    batch=16,
)
ORDER = TrainingOrder(NAME, "grasp", seed=SEED, size=SIZE)
SOURCES = ("extensions/training", "scenes", "benchmarks/definitions", "benchmarks/generation")


@contextmanager
def with_quick_size() -> Iterator[None]:
    """Within the block, the baseline also has the smaller size."""
    with patch.dict(RECIPES, {"quick": QUICK}):
        yield


def home() -> Path:
    """The cache folder for clips and weights of this version of the code."""
    digest = hashlib.sha256(SeeingTrainer().key(ORDER).encode())
    for path in sorted(path for folder in SOURCES for path in (ROOT / folder).rglob("*.py")):
        digest.update(path.read_bytes())
    return Path(tempfile.gettempdir()) / f"benchsite-trained-{os.getuid()}-{digest.hexdigest()[:16]}"


@contextmanager
def alone_in_home() -> Iterator[Path]:
    """The cache folder, for one process at a time."""
    folder = home()
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@cache
def trained_model() -> Trained:
    """Takes twenty seconds if it is not cached, three minutes in full size; of two processes, one trains it."""
    with with_quick_size(), alone_in_home() as folder:
        trainer, out = SeeingTrainer(), folder / "weights"
        if found := standing_at(out, trainer.key(ORDER)):
            return found
        with override_settings(VAR_DIR=folder / "clips"):
            trained = trainer.train(ORDER, out, ProgressReporter(bar=lambda title: None, note=lambda line: None))
        shutil.rmtree(folder / "clips")
        return trained


def grasp_clips(name: str, orders: Sequence[dict[str, Any]]) -> Path:
    """A folder with clips of GRASP, made by these calls of `generate` if it is not cached; it must not be changed."""
    with with_quick_size(), alone_in_home() as home:
        folder = home / f"{name}-{hashlib.sha256(repr(orders).encode()).hexdigest()[:16]}"
        if not folder.exists():
            shutil.rmtree(unfinished := folder.with_suffix(".unfinished"), ignore_errors=True)
            for order in orders:
                generate(find_benchmark("grasp"), unfinished, **order)
            unfinished.rename(folder)
        return folder
