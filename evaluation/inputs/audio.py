"""The sound that a model hears with an item's clips: the clip's own, silence, or the other clip's."""

import random
from collections.abc import Iterable, Mapping
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
    import av

    from scenes.media_files import opened

    if clip.problem or clip.withdrawn_at:
        raise ClipUnreadable(clip.problem or "the clip was withdrawn")
    try:
        with opened(decodable(clip)) as container:
            if not container.streams.audio:
                raise ClipUnreadable("the clip has no sound")
            stream = container.streams.audio[0]
            plain = av.AudioResampler(format="fltp")
            pieces, taken = [], 0
            for frame in (one for decoded in container.decode(stream) for one in plain.resample(decoded)):
                pieces.append(frame.to_ndarray().mean(0))  # the library's own downmix would be louder
                taken += frame.samples
                if taken > LONGEST_SECONDS * frame.sample_rate:
                    raise ClipUnreadable(f"the clip has more than {LONGEST_SECONDS} s of sound")
            rate = stream.rate
    except (OSError, ValueError, IndexError, av.FFmpegError) as error:
        raise ClipUnreadable(f"the sound can't be decoded: {getattr(error, 'strerror', '') or error}") from error
    if not taken:
        raise ClipUnreadable("the clip has no sound")
    return Audio(np.concatenate(pieces), rate)


def any_sound(clips: Iterable[Clip]) -> bool:
    """Whether one of the clips has a sound stream; probes the files without decoding them."""
    return any(map(_has_sound, clips))


def _has_sound(clip: Clip) -> bool:
    import av

    from scenes.media_files import opened

    try:
        with opened(decodable(clip)) as container:
            return bool(container.streams.audio)
    except (OSError, ValueError, av.FFmpegError):
        return False
