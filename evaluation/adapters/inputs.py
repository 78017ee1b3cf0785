"""From conversations to a model's input: its own chat template and processor, our own frames and their times."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import Frames, Turn
from evaluation.adapters.opening import Opened
from evaluation.adapters.talk import IMAGES, NOTHING, Talk
from evaluation.errors import ModelMisused


def inputs_of(talks: Sequence[Talk], opened: Opened) -> Any:
    """Everything up to the next reply of each, padded on the left to one length: tensors on the CPU."""
    clips = [talk.clips() for talk in talks]
    if any(isinstance(turn, Turn) and turn.audio for talk in talks for turn in talk.request.turns):
        raise ModelMisused(f"{type(opened.model).__name__} is shown pictures and words alone: no sound can be played")
    if opened.sees == NOTHING and any(clips):
        raise ModelMisused(
            f"{type(opened.model).__name__} reads text alone and can't be shown clips: use the condition question-only"
        )
    texts = [
        opened.processor.apply_chat_template(talk.messages(opened.sees), add_generation_prompt=True, tokenize=False)
        for talk in talks
    ]
    return opened.processor(text=texts, padding=True, return_tensors="pt", **_shown(clips, opened))


def placed(inputs: Any, device: torch.device, dtype: torch.dtype) -> dict[str, Any]:
    """The same on the device, pictures in the model's own dtype."""
    return {
        name: value.to(device, dtype) if torch.is_floating_point(value) else value.to(device)
        for name, value in inputs.items()
        if isinstance(value, torch.Tensor)
    }


def _shown(clips: list[list[Frames]], opened: Opened) -> dict[str, Any]:
    """Clips as videos, already sampled, or each clip's frames as pictures of their conversation."""
    together = [frames for shown in clips for frames in shown]
    if not together:
        return {}
    if opened.sees == IMAGES:
        return {"images": [[picture for frames in shown for picture in own(frames)] for shown in clips]}
    fewest = getattr(opened.processor.video_processor, "temporal_patch_size", None) or 1
    return {
        "videos": [at_least(fewest, own(frames)) for frames in together],
        "video_metadata": [metadata_of(frames) for frames in together],
        "do_sample_frames": False,
    }


def own(frames: Frames) -> np.ndarray:
    """The pixels in memory of our own: the cache is read-only, and torch warns of arrays that it may not write to."""
    return np.array(frames.pixels)


def at_least(count: int, pixels: np.ndarray) -> np.ndarray:
    """Families that take frames by twos are shown the last one again where a clip gives fewer."""
    missing = max(0, count - len(pixels))
    return np.concatenate([pixels, *[pixels[-1:]] * missing]) if missing else pixels


def metadata_of(frames: Frames) -> dict[str, Any]:
    """Where the frames are from, for models that are told the time of each.

    In rising order: where frames are shown shuffled, telling each one's true time would give the order away.
    """
    total = max(round(frames.duration_seconds * frames.fps), *(index + 1 for index in frames.indices))
    return {
        "total_num_frames": total,
        "fps": frames.fps,
        "duration": frames.duration_seconds,
        "frames_indices": sorted(frames.indices),
    }


def alike(talks: Iterable[Talk]) -> Iterator[list[Talk]]:
    """Talks that can share a batch: as many frames in each clip, as much room for the reply."""
    for _, group in itertools.groupby(sorted(talks, key=shape_of), key=shape_of):
        yield list(group)


def shape_of(talk: Talk) -> tuple[list[tuple[int, ...]], int]:
    return [frames.pixels.shape for frames in talk.clips()], talk.request.max_new_tokens
