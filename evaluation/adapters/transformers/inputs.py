"""Turns conversations into a model's input with its own chat template and processor and our frames and times."""

import inspect
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import Frames
from evaluation.adapters.conversation import NOTHING, Talk
from evaluation.adapters.transformers.loading import LoadedModel, first_line
from evaluation.adapters.transformers.sound import options_of, seconds_per_grid, sounds_of
from evaluation.errors import ModelMisused

KINDS, METADATA = "return_mm_token_type_ids", "video_metadata"
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
    options = {**special, **kinds_of_tokens(opened), **visual, **sounds}
    with seconds_per_grid(opened.processor, videos):
        try:
            made = opened.processor(text=texts, padding=True, return_tensors="pt", **options)
        except ValueError as error:
            raise ModelMisused(f"the model's processor refuses the conversation: {first_line(error)}") from error
    return {**made, **options_of(sounds)}


def kinds_of_tokens(opened: LoadedModel) -> dict[str, bool]:
    """The argument for the kinds of tokens, from which some models count positions though no default asks for them."""
    is_taken = KINDS.removeprefix("return_") in inspect.signature(opened.model.forward).parameters
    return {KINDS: True} if is_taken and opened.processor is not opened.tokenizer else {}


def placed(inputs: Any, device: torch.device, dtype: torch.dtype) -> dict[str, Any]:
    """The inputs on the device, images and sound in the dtype; times keep theirs, since positions depend on them."""
    return {name: _placed(name, value, device, dtype) for name, value in inputs.items() if name != METADATA}


def _placed(name: str, value: Any, device: torch.device, dtype: torch.dtype) -> Any:
    if isinstance(value, list | tuple):
        return [_placed(name, one, device, dtype) for one in value]
    if not isinstance(value, torch.Tensor):
        return value
    is_seen = value.is_floating_point() and not NAMES_OF_TIMES.search(name)
    return value.to(device, dtype if is_seen else value.dtype)


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
        METADATA: [frames.metadata for frames in videos],
        **options_of_clips(opened.processor),
    }


def options_of_clips(processor: Any) -> dict[str, bool]:
    """The arguments for clips that are sampled already, by a processor that may leave their size to its caller."""
    leaves_size = getattr(processor, "videos_kwargs", {}).get("do_resize") is False
    # some processors read the times of frames from the metadata that they return
    return {"do_sample_frames": False, "return_metadata": True, **({"do_resize": True} if leaves_size else {})}


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
