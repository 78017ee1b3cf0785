"""The sound that a model hears with an item's clips: the clip's own, silence, or the other clip's."""

import random
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from benchmarks.definitions.definition import AUDIO_ONLY, SOUND
from benchmarks.models import Clip
from benchmarks.storage.access import decodable
from evaluation.adapters.base import Audio
from evaluation.errors import ClipUnreadable, RunMisused

# Conditions with sound.
PLAYING = (*(condition for condition in SOUND if condition != "no-audio"), AUDIO_ONLY)
OF_TWO = ("silent-one", "flipped-audio")
LONGEST_SECONDS = 120  # limit for sound decoded into memory; PACS' clips have 15 at most
LOOKED_AT = 20  # clips of a pack that are probed for sound

OWN, SILENCE, OTHER = "own", "silence", "other"


@dataclass(frozen=True, eq=False)
class Played:
    """A sound and its origin: the clip's own, silence, or the other clip's."""

    audio: Audio
    whose: str = OWN


def played(clips: Mapping[str, Clip], *, condition: str, seed: int, key: str) -> dict[str, Played]:
    """The sound played with each clip, by the clip's name; empty if the condition has no sound.

    The silent clip is drawn by seed and item, since the paper does not say which one it is.
    """
    if condition not in PLAYING:
        return {}
    if condition in OF_TWO and (len(clips) != 2 or "example" in clips):
        raise RunMisused(f"item {key}: {condition} needs two clips with sound, here are {len(clips)}")
    own = {name: sound_of(clip) for name, clip in clips.items()}
    if condition == "flipped-audio":
        return {name: Played(audio, OTHER) for name, audio in zip(own, reversed(own.values()), strict=True)}
    found = {name: Played(audio) for name, audio in own.items()}
    if condition == "silent-one":
        silent = random.Random(f"{seed}:{key}:silent-one").choice(sorted(own))  # noqa: S311
        found[silent] = Played(Audio(np.zeros_like(own[silent].samples), own[silent].rate), SILENCE)
    return found


def sound_of(clip: Clip) -> Audio:
    """The first sound stream, mixed down to mono at its own rate; raises ClipUnreadable if there is none."""
    from benchmarks.encoding.audio import sound

    if clip.problem or clip.withdrawn_at:
        raise ClipUnreadable(clip.problem or "the clip was withdrawn")
    try:
        return Audio(*sound(decodable(clip), LONGEST_SECONDS))
    except (OSError, ValueError) as error:
        raise ClipUnreadable(str(error)) from error


def any_sound(clips: Iterable[Clip]) -> bool:
    """Whether one of the clips has a sound stream; probes the files without decoding them."""
    return any(map(_has_sound, clips))


def _has_sound(clip: Clip) -> bool:
    from benchmarks.encoding.audio import has_sound

    with suppress(OSError):
        return has_sound(decodable(clip))
    return False
