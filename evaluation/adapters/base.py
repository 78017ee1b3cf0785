"""The one method that an adapter has, and what travels through it. Every provider is built on these."""

import enum
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, Protocol

import numpy as np


class Marker(enum.Enum):
    REPLY = "reply"


REPLY: Final = Marker.REPLY  # here the model must speak

CUT_OFF: Final = "cut off"
REFUSED: Final = "refused"


@dataclass(frozen=True, eq=False)
class Mark:
    """Where one of the frames shows the object in question.

    `place` is that frame's number among those shown, `box` (left, top, right, bottom in its pixels) is drawn on it in
    red; `plain` is the same picture without the box [height, width, 3]; `is_extra` says that the sampler did not take
    it, and that it stands there to carry the box alone.
    """

    place: int
    box: tuple[int, int, int, int]
    plain: np.ndarray
    is_extra: bool


@dataclass(frozen=True, eq=False)
class Frames:
    """What a model sees of a clip: RGB pictures [n, height, width, 3] in the order shown.

    `indices` and `times` (seconds) say where in the clip each picture is from; `digest` is SHA-256 over the pixels.
    The pixels may be a read-only view of the cache: copy before changing them.
    """

    pixels: np.ndarray
    indices: tuple[int, ...]
    times: tuple[float, ...]
    digest: str
    duration_seconds: float
    fps: float
    mark: Mark | None = None

    def __len__(self) -> int:
        return len(self.indices)


@dataclass(frozen=True, eq=False)
class Audio:
    """The sound of a clip: mono `samples` [n], float32 between -1 and 1, `rate` of them a second (Hz)."""

    samples: np.ndarray
    rate: int

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.rate

    @cached_property
    def digest(self) -> str:
        """SHA-256 over rate and samples."""
        return hashlib.sha256(f"{self.rate}\n".encode() + np.ascontiguousarray(self.samples).tobytes()).hexdigest()


@dataclass(frozen=True)
class Turn:
    """One thing said to the model, with the pictures shown and the sound played along with it."""

    text: str
    frames: Frames | None = None
    audio: Audio | None = None


@dataclass(frozen=True)
class Request:
    """One conversation to be had. A random state made of `seed` alone gives the same reply in every process.

    `seed` is already mixed from the run's seed and the item, so two items never share their chance.
    """

    turns: tuple[Turn | Literal[Marker.REPLY], ...]
    seed: int = 0
    temperature: float = 0.0
    max_new_tokens: int = 64
    options: tuple[str, ...] = ()  # the possible answers, for models that only choose
    key: str = ""  # the item's public id
    split: str = ""  # which is asked; for models that were fitted on the training split of its setting
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # those that tell no answer; for heuristics
    system: str = ""  # said before the conversation; adapters with a system prompt of their own put this in its place
    template: str = ""  # how a paper laid the conversation out, for programs that write their own prompt


@dataclass(frozen=True)
class Reply:
    """What the model said: `text` last, `turns` at each REPLY in order.

    `ended` is "" for a reply that came to its end, else CUT_OFF (ran into max_new_tokens) or REFUSED.
    `error` says in words why this one item could not be answered; the others go on.
    `more` says that the next reply is at hand already, so that both may be written together.
    """

    text: str
    turns: tuple[str, ...] = ()
    ended: str = ""
    error: str = ""
    more: bool = field(default=False, compare=False)


def at_once(replies: Iterable[Reply]) -> Iterator[Reply]:
    """Replies that are there at the same time, as such: each but the last has `more`."""
    ahead = None
    for reply in replies:
        if ahead is not None:
            yield replace(ahead, more=True)
        ahead = reply
    if ahead is not None:
        yield ahead


class Adapter(Protocol):
    """Something that answers.

    `description` holds what the run card shows: device, dtype, weights hash, versions, and what had to be changed on
    the way (`"not bit-comparable"` after a batch was split). It is read again after every shard.
    """

    @property
    def description(self) -> Mapping[str, Any]: ...

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """Yield one reply for each request, in order, as they come.

        The requests of one call are one fixed batch order: the same call again must give the same replies. Talks of
        several turns are carried on inside. Raise ModelBusy or ModelMisused (evaluation/errors.py).
        """
        ...
