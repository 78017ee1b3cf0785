"""The model that the site trains for itself, trained once for all tests of a session and kept for the next one.

What is kept is named by a hash over the recipe and over all code that it comes from, so that a change trains it anew.
"""

import fcntl
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.training.core.checkpoints import Trained
from evaluation.training.video_language.clips import make_clips
from evaluation.training.video_language.train import find_baseline, key_of, standing, train

ROOT = Path(__file__).resolve().parents[2]
NAME, SIZE, SEED = "grasp-small", "small", 0
SOURCES = ("evaluation/training", "scenes", "benchmarks/definitions")


def home() -> Path:
    """Where the clips and the weights of this version of the code are kept."""
    digest = hashlib.sha256(key_of(NAME, SIZE, SEED).encode())
    for path in sorted(path for folder in SOURCES for path in (ROOT / folder).rglob("*.py")):
        digest.update(path.read_bytes())
    return Path(tempfile.gettempdir()) / f"benchsite-trained-{os.getuid()}-{digest.hexdigest()[:16]}"


@cache
def trained_model() -> Trained:
    """About two minutes on two cores where it does not stand yet; two processes that want it train it once."""
    folder = home()
    folder.mkdir(mode=0o700, exist_ok=True)
    how: dict[str, Any] = {"seed": SEED, "size": SIZE, "out": folder / "weights"}
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if found := standing(NAME, **how):
            return found
        clips = make_clips(*find_baseline(NAME, SIZE), folder / "clips")
        trained = train(NAME, clips=clips, progress=lambda *how_far: None, **how)
        shutil.rmtree(clips)
        return trained
