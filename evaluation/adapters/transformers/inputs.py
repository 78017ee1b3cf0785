"""Turns conversations into a model's input with its own chat template and processor, and our frames, times and sound.

A thread prepares the next batch while the model answers one.
"""

import inspect
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import Frames, Turn
from evaluation.adapters.conversation import NOTHING, WOVEN, Talk, is_woven
from evaluation.adapters.media_encoding import resampled
from evaluation.adapters.transformers.loading import LoadedModel, ear_of, first_line
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


Make = Callable[[Sequence[Talk]], Any]


class Preparing:
    """Calls `make` for groups of talks, ahead of time or when they are taken.

    One thread makes all inputs, because two threads can't share a tokenizer. Only inputs that were started are held.
    """

    def __init__(self, make: Make) -> None:
        self.make = make
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="prepare")
        self._started: dict[tuple[int, ...], Future[Any]] = {}

    def __enter__(self) -> "Preparing":
        return self

    def __exit__(self, *error: object) -> None:
        """Drop inputs that nobody took, for example after a batch was split or the caller stopped."""
        for going in self._started.values():
            going.cancel()
        self._started.clear()

    def start(self, groups: Iterable[Sequence[Talk]]) -> None:
        """Start preparing these groups, unless already started."""
        for talks in groups:
            if (name := _name(talks)) not in self._started:
                self._started[name] = self._pool.submit(self.make, talks)

    def take(self, talks: Sequence[Talk]) -> Any:
        """The inputs of this group; raises what `make` raised."""
        going = self._started.pop(_name(talks), None) or self._pool.submit(self.make, talks)
        return going.result()


def _name(talks: Sequence[Talk]) -> tuple[int, ...]:
    """A key for a group: the ids of its talks and their numbers of replies."""
    return tuple(number for talk in talks for number in (id(talk), len(talk.replies)))


LONGEST = 30.0  # seconds of sound that an extractor reads if it names no length


def sounds_of(talks: Sequence[Talk], opened: LoadedModel) -> dict[str, Any]:
    """The sounds of all conversations as the processor takes them; {} if there are none."""
    if not any(talk.played() for talk in talks):
        return {}
    if not opened.hears:
        raise ModelMisused(f"{type(opened.model).__name__} takes only pictures and text: no sound can be played")
    rate = ear_of(opened.processor).sampling_rate
    played = [turn for talk in talks for turn in talk.played()]
    inputs = {"audio": [resampled(turn.audio, rate) for turn in played if turn.audio], "sampling_rate": rate}
    return inputs | _places_of(talks, opened) if opened.hears == WOVEN else inputs


def _places_of(talks: Sequence[Talk], opened: LoadedModel) -> dict[str, Any]:
    """The number of the video that each sound belongs to, or None; {} if no sound belongs to a video."""
    places: list[int | None] = []
    videos = 0
    for turn in (turn for talk in talks for _, turn in talk.next_turns()):
        if turn.audio:
            places.append(videos if is_woven(turn, opened.hears) else None)
        videos += turn.frames is not None and not opened.shows_as_images(turn.frames)
    if all(place is None for place in places):
        return {}
    if len(places) - places.count(None) < videos:
        raise ModelMisused(f"{type(opened.model).__name__} takes sound for all clips of a conversation or for none")
    return {"load_audio_from_video": True, "audio_from_video_indices": places}


def options_of(options: dict[str, Any]) -> dict[str, Any]:
    """Arguments of `generate` for sound inside videos, which changes positions in time."""
    return {"use_audio_in_video": True} if options.get("load_audio_from_video") else {}


def why_too_long(talk: Talk, opened: LoadedModel) -> str:
    """A sentence if one of the sounds is longer than the model's extractor reads and would be cut; else ''."""
    if not opened.hears:
        return ""
    longest = float(getattr(ear_of(opened.processor), "chunk_length", None) or LONGEST)
    turns = [turn for turn in talk.request.turns if isinstance(turn, Turn)]
    seconds = max((turn.audio.seconds for turn in turns if turn.audio), default=0.0)
    return f"the sound has {seconds:.1f} s, the model hears {longest:.0f} s at most" if seconds > longest else ""


@contextmanager
def seconds_per_grid(processor: Any, clips: Sequence[Frames]) -> Iterator[None]:
    """Let an Omni processor lay out each video by its own seconds between frames.

    The library takes one rate for all videos of a call (2 or 1 frames per second if none is given), whatever the
    metadata say. Positions and the interleaving of sound depend on it.
    """
    if not hasattr(processor, "replace_video_with_audio_token") or not clips:
        yield
        return
    whole = type(processor).replace_video_token
    seconds = [processor.video_processor.temporal_patch_size / rate_of(frames) for frames in clips]

    def replaced(video_inputs: Any, video_idx: int, **options: Any) -> str:
        video_inputs["video_second_per_grid"] = seconds
        return whole(processor, video_inputs, video_idx, **options)

    processor.replace_video_token = replaced
    try:
        yield
    finally:
        del processor.replace_video_token


def rate_of(frames: Frames) -> float:
    """The frames shown per second of the clip, by the library's own rule for sampled videos."""
    facts = frames.metadata
    return len(frames) / facts["total_num_frames"] * facts["fps"]
