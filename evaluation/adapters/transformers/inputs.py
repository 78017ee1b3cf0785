"""Turns conversations into a model's input with its own chat template and processor and our frames and times."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import Frames
from evaluation.adapters.conversation import NOTHING, Talk
from evaluation.adapters.transformers.loading import LoadedModel
from evaluation.adapters.transformers.sound import options_of, seconds_per_grid, sounds_of
from evaluation.errors import ModelMisused

NAMES_OF_TIMES = re.compile("second|time")  # video_second_per_grid, second_per_grid_ts


def inputs_of(talks: Sequence[Talk], opened: LoadedModel) -> Any:
    """The conversations up to the next reply, left-padded to one length, as tensors on the CPU."""
    clips = [talk.clips() for talk in talks]
    if opened.sees == NOTHING and any(clips):
        senses, instead = ("hears", "audio-only or ") if opened.hears else ("reads text", "")
        raise ModelMisused(
            f"{type(opened.model).__name__} {senses} alone and can't be shown clips:"
            f" use the condition {instead}question-only"
        )
    sounds = sounds_of(talks, opened)
    texts = [opened.rendered(talk) for talk in talks]
    special = {} if opened.adds_start(texts[0]) else {"add_special_tokens": False}
    visual = _visual_inputs(clips, opened)
    videos = [frames for each in clips for frames in each if not opened.shows_as_images(frames)]
    with seconds_per_grid(opened.processor, videos):
        made = opened.processor(text=texts, padding=True, return_tensors="pt", **special, **visual, **sounds)
    return {**made, **options_of(sounds)}


def placed(inputs: Any, device: torch.device, dtype: torch.dtype) -> dict[str, Any]:
    """The tensors on the device, images and sound in the dtype; times keep theirs, since positions depend on them."""
    there: dict[str, Any] = {}
    for name, value in inputs.items():
        if isinstance(value, torch.Tensor):
            is_seen = value.is_floating_point() and not NAMES_OF_TIMES.search(name)
            there[name] = value.to(device, dtype if is_seen else value.dtype)
        elif isinstance(value, bool):
            there[name] = value
    return there


def _visual_inputs(clips: list[list[Frames]], opened: LoadedModel) -> dict[str, Any]:
    """Clips as videos, already sampled; as images the single pictures of each conversation, and all frames for a model
    that takes no videos.
    """
    videos = [frames for frames_of_clip in clips for frames in frames_of_clip if not opened.shows_as_images(frames)]
    images = [
        [picture for frames in frames_of_clip if opened.shows_as_images(frames) for picture in own(frames)]
        for frames_of_clip in clips
    ]
    inputs: dict[str, Any] = {"images": images} if any(images) else {}
    if not videos:
        return inputs
    fewest = getattr(opened.processor.video_processor, "temporal_patch_size", None) or 1
    return inputs | {
        "videos": [at_least(fewest, own(frames)) for frames in videos],
        "video_metadata": [frames.metadata for frames in videos],
        "do_sample_frames": False,
    }


def own(frames: Frames) -> np.ndarray:
    """A copy of the pixels: the cache is read-only, and torch warns about read-only arrays."""
    return np.array(frames.pixels)


def at_least(count: int, pixels: np.ndarray) -> np.ndarray:
    """The frames, with the last one repeated up to `count`, since some families take frames in pairs."""
    missing = max(0, count - len(pixels))
    return np.concatenate([pixels, *[pixels[-1:]] * missing]) if missing else pixels


def alike(talks: Iterable[Talk]) -> Iterator[list[Talk]]:
    """Yield groups of talks that can share a batch: equal shapes and kinds of frames, and equal token limits."""
    for _, group in itertools.groupby(sorted(talks, key=shape_of), key=shape_of):
        yield list(group)


def shape_of(talk: Talk) -> tuple[list[tuple[bool, tuple[int, ...]]], int, int]:
    shapes = [(frames.is_still, frames.pixels.shape) for frames in talk.clips()]
    return shapes, talk.request.max_new_tokens, len(talk.played())
