"""Feeds sound to models: at their sampling rate, after the pictures or interleaved with a video's frames."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evaluation.adapters.base import Frames, Turn
from evaluation.adapters.conversation import WOVEN, Talk, is_woven
from evaluation.adapters.embedding_models import resampled
from evaluation.adapters.transformers.loading import LoadedModel, ear_of
from evaluation.errors import ModelMisused

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
