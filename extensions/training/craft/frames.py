"""Frames of clips for a network: those of a run, at the network's picture size, decoded once and cached."""

import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from django.conf import settings
from torch.nn import functional

from benchmarks.models import Clip
from evaluation.adapters import THREADS
from evaluation.errors import ClipUnreadable
from evaluation.inputs.frames import decoded, versioned
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.trainer import Bar
from extensions.training.craft.recipes import CraftRecipe

VERSION = 1  # version of the resizing


@dataclass(frozen=True, eq=False)
class VideoFrames:
    """Pictures of videos, by the primary key of their clips."""

    places: dict[int, int]
    pictures: np.ndarray  # uint8 [videos, frames, 3, edge, edge], mapped from a file

    def of(self, video: int) -> np.ndarray:
        return self.pictures[self.places[video]]


def brought_to(edge: int, pixels: np.ndarray) -> np.ndarray:
    """RGB frames [n, height, width, 3] of any size, 0 to 255 -> [n, 3, edge, edge], each pixel the mean of its area."""
    planes = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2).float()
    return functional.interpolate(planes, (edge, edge), mode="area").round().to(torch.uint8).numpy()


def load_video_frames(clips: Sequence[Clip], recipe: CraftRecipe, bar: Bar | None = None) -> VideoFrames:
    """The frames of these clips; raises TrainingMisused that names an unreadable clip."""
    places = {clip.pk: number for number, clip in enumerate(clips)}
    how = [VERSION, versioned(recipe.sampler), recipe.edge, [clip.sha256 for clip in clips]]
    digest = hashlib.sha256(json.dumps(how).encode()).hexdigest()
    path = Path(settings.VAR_DIR) / "training" / "craft-sights" / f"{digest[:20]}.npy"
    if not path.is_file():
        _write(clips, recipe, path, bar)
    return VideoFrames(places, np.load(path, mmap_mode="r", allow_pickle=False))


def _write(clips: Sequence[Clip], recipe: CraftRecipe, path: Path, bar: Bar | None) -> None:
    """Decode all clips into a file, which gets its name only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.tmp")
    shape = (len(clips), recipe.frames, 3, recipe.edge, recipe.edge)
    pictures = np.lib.format.open_memmap(temporary, "w+", np.uint8, shape)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            for number, seen in enumerate(pool.map(lambda clip: _seen(clip, recipe), clips)):
                pictures[number] = seen
                if bar:
                    bar(number + 1, len(clips))
        pictures.flush()
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _seen(clip: Clip, recipe: CraftRecipe) -> np.ndarray:
    try:
        taken = decoded(clip, recipe.sampler)
    except ClipUnreadable as error:
        raise TrainingMisused(f"clip {clip.key}: {error}") from error
    return brought_to(recipe.edge, np.stack([one.picture for one in taken]))
