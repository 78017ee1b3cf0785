"""The Adapter protocol with its requests and replies; every provider implements it."""

import enum
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Final, Literal, Protocol, TypeVar

import numpy as np

from evaluation.errors import ModelMisused

Options = TypeVar("Options")


class Marker(enum.Enum):
    REPLY = "reply"


REPLY: Final = Marker.REPLY  # the model's turn
MOST_THINKING = 131072  # tokens


@dataclass(frozen=True, eq=False)
class BoundingBox:
    """The box around the object in question, drawn in red on one of the frames.

    `place` is that frame's index among those shown, `box` is (left, top, right, bottom) in its pixels, `plain` is the
    frame without the box [height, width, 3]; `is_extra` means that the frame was added for the box and not sampled.
    """

    place: int
    box: tuple[int, int, int, int]
    plain: np.ndarray
    is_extra: bool


@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of a clip that a model sees: RGB pictures [n, height, width, 3] in the order shown.

    `indices` and `times` (seconds) give each frame's place in the clip; `digest` is SHA-256 over the pixels.
    The pixels may be a read-only view of the cache: copy before changing them.
    """

    pixels: np.ndarray
    indices: tuple[int, ...]
    times: tuple[float, ...]
    digest: str
    duration_seconds: float
    fps: float
    mark: BoundingBox | None = None
    address: str = ""  # address of the clip's file, for a server that fetches and samples it; no frames are sent then

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def is_still(self) -> bool:
        """Whether this is a single picture and not part of a video; it then has no time."""
        return not self.duration_seconds

    @property
    def metadata(self) -> dict[str, Any]:
        """The frames' places in the clip, for models that get the time of each frame; keys are those of transformers.

        They are in ascending order: for shuffled frames, each one's true time would reveal the order.
        """
        total = max(round(self.duration_seconds * self.fps), *(index + 1 for index in self.indices))
        return {
            "total_num_frames": total,
            "fps": self.fps,
            "duration": self.duration_seconds,
            "frames_indices": sorted(self.indices),
        }


@dataclass(frozen=True, eq=False)
class Audio:
    """The sound of a clip: mono `samples` [n], float32 between -1 and 1, at `rate` Hz."""

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
    """One message to the model: text, with the frames and sound of a clip."""

    text: str
    frames: Frames | None = None
    audio: Audio | None = None


@dataclass(frozen=True)
class Request:
    """One conversation to have with the model. A random state from `seed` alone gives the same reply in every process.

    `seed` combines the run's seed and the item, so two items never share a random state.
    """

    turns: tuple[Turn | Literal[Marker.REPLY], ...]
    seed: int = 0
    temperature: float = 0.0
    max_new_tokens: int = 64
    options: tuple[str, ...] = ()  # the possible answers, for models that only choose
    key: str = ""  # the item's public id
    split: str = ""  # the split of the run, for models fitted on the training split of its setting
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # facets that reveal no answer; for heuristics
    system: str = ""  # system prompt; it replaces that of the adapter's options
    template: str = ""  # the prompt template of a paper, for programs that write their own prompt
    by_surprise: bool = False  # the reply is the surprise of each window of the clip
    by_likelihood: bool = False  # the last reply is the log-probabilities of `options`
    constrained: bool = False  # the last reply must be one of `options`
    thinking: bool | int | None = None  # on, off, or on with a token limit; None = the model's default

    @property
    def shows_stills(self) -> bool:
        return any(isinstance(turn, Turn) and turn.frames is not None and turn.frames.is_still for turn in self.turns)


@dataclass(frozen=True)
class Reply:
    """The model's last reply as `text`, its replies at each REPLY as `turns`, and its `thoughts` turn by turn.

    `ended` says how the last reply ended, as evaluation.replies decides; "" for a complete one.
    `prompt` is the prompt before the first reply, if the adapter reports it.
    `error` says why this one item could not be answered; the others go on. `is_lasting`: asking again gives it again.
    `tokens_in` and `tokens_out` count the tokens read and written for all its replies, thoughts included; None if they
    were not counted.
    `more` means that the next reply is ready too, so that both may be saved together.
    """

    text: str
    turns: tuple[str, ...] = ()
    ended: str = ""
    error: str = ""
    thoughts: tuple[str, ...] = ()
    prompt: str = field(default="", compare=False)
    tokens_in: int | None = field(default=None, compare=False)
    tokens_out: int | None = field(default=None, compare=False)
    more: bool = field(default=False, compare=False)
    is_lasting: bool = field(default=False, compare=False)


def at_once(replies: Iterable[Reply]) -> Iterator[Reply]:
    """Yield replies that are ready at the same time: all but the last have `more`."""
    ahead = None
    for reply in replies:
        if ahead is not None:
            yield replace(ahead, more=True)
        ahead = reply
    if ahead is not None:
        yield ahead


class Adapter(Protocol):
    """A model as this site uses it.

    `description` goes on the run card: device, dtype, weights hash, versions, and changes made during the run (`"not
    bit-comparable"` after a batch was split). It is read again after every shard.
    """

    @property
    def description(self) -> Mapping[str, Any]: ...

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield one reply for each request, in order, as soon as it is ready.

        A request is made when it is taken, which may wait for its clip to be decoded: an adapter that takes no more
        than it needs for its next replies works while later clips are decoded.
        The order of the requests fixes the batches: the same call again must give the same replies. Conversations of
        several turns are held inside. Raises ModelOverloaded or ModelMisused (evaluation/errors.py).
        """
        ...


def options_as(kind: type[Options], options: Mapping[str, Any]) -> Options:
    """The options as this dataclass, which needs those without a default and has no others; raises ModelMisused."""
    known = {each.name: each for each in fields(kind)}  # type: ignore[arg-type]  # a dataclass
    for name in options:
        if name not in known:
            raise ModelMisused(f"there is no option {name!r}; there are {', '.join(known)}")
    for name, each in known.items():
        if name not in options and each.default is MISSING and each.default_factory is MISSING:
            raise ModelMisused(f"option {name} is missing")
    return kind(**options)
