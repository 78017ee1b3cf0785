"""Makes conversations into a model's input, with its own chat template and processor and our frames and times."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import Frames, Turn
from evaluation.adapters.conversation import NOTHING, Talk
from evaluation.adapters.transformers.loading import LoadedModel
from evaluation.errors import ModelMisused


def inputs_of(talks: Sequence[Talk], opened: LoadedModel) -> Any:
    """The conversations up to the next reply, padded on the left to one length, as tensors on the CPU."""
    clips = [talk.clips() for talk in talks]
    if any(isinstance(turn, Turn) and turn.audio for talk in talks for turn in talk.request.turns):
        raise ModelMisused(f"{type(opened.model).__name__} is shown pictures and words alone: no sound can be played")
    if opened.sees == NOTHING and any(clips):
        raise ModelMisused(
            f"{type(opened.model).__name__} reads text alone and can't be shown clips: use the condition question-only"
        )
    texts = [opened.rendered(talk) for talk in talks]
    special = {} if opened.adds_start(texts[0]) else {"add_special_tokens": False}
    return opened.processor(text=texts, padding=True, return_tensors="pt", **special, **_shown(clips, opened))


def placed(inputs: Any, device: torch.device, dtype: torch.dtype) -> dict[str, Any]:
    """The tensors on the device, images in the model's dtype; times keep theirs, since positions depend on them."""
    return {
        name: value.to(device, dtype if name.startswith("pixel_values") else value.dtype)
        for name, value in inputs.items()
        if isinstance(value, torch.Tensor)
    }


def _shown(clips: list[list[Frames]], opened: LoadedModel) -> dict[str, Any]:
    """Clips as videos, already sampled; pictures of their own, and frames for a model that takes no videos, as images
    of each conversation."""
    videos = [frames for shown in clips for frames in shown if not opened.shows_as_images(frames)]
    images = [
        [picture for frames in shown if opened.shows_as_images(frames) for picture in own(frames)] for shown in clips
    ]
    given: dict[str, Any] = {"images": images} if any(images) else {}
    if not videos:
        return given
    fewest = getattr(opened.processor.video_processor, "temporal_patch_size", None) or 1
    return given | {
        "videos": [at_least(fewest, own(frames)) for frames in videos],
        "video_metadata": [frames.metadata for frames in videos],
        "do_sample_frames": False,
    }


def own(frames: Frames) -> np.ndarray:
    """A copy of the pixels: the cache is read-only, and torch warns about read-only arrays."""
    return np.array(frames.pixels)


def at_least(count: int, pixels: np.ndarray) -> np.ndarray:
    """The frames, with the last one repeated up to `count`: some families take frames in pairs."""
    missing = max(0, count - len(pixels))
    return np.concatenate([pixels, *[pixels[-1:]] * missing]) if missing else pixels


def alike(talks: Iterable[Talk]) -> Iterator[list[Talk]]:
    """Yield groups of talks that can share a batch: equal shapes and kinds of frames, and limits of tokens."""
    for _, group in itertools.groupby(sorted(talks, key=shape_of), key=shape_of):
        yield list(group)


def shape_of(talk: Talk) -> tuple[list[tuple[bool, tuple[int, ...]]], int]:
    return [(frames.is_still, frames.pixels.shape) for frames in talk.clips()], talk.request.max_new_tokens
