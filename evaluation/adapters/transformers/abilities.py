"""The inputs that an opened model accepts, found by trying its own template and processor."""

import re
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import REPLY, Audio, Frames, Request, Turn
from evaluation.adapters.conversation import IMAGES, NOTHING, VIDEO, Talk
from evaluation.adapters.transformers.inputs import NAMES_OF_TIMES, inputs_of
from evaluation.adapters.transformers.loading import LoadedModel
from evaluation.errors import ModelMisused
from evaluation.replies import OPENING

QUESTION = "A square moves over the picture. Does it move to the right? Answer only with yes or no."
MARK = "zebra"  # a system prompt that no template contains by itself
SIDE, COUNT, SECONDS = 96, 8, 2.0
# The inputs that frames' times can change, by how the model learns them.
TOLD = {
    "in words": re.compile("^input_ids$"),
    "as positions": NAMES_OF_TIMES,
    "drawn on the frames": re.compile("^pixel_values"),
}
SWITCH = re.compile(r"\b(enable_thinking|thinking|reasoning_effort|thinking_budget)\b")


@dataclass(frozen=True)
class Abilities:
    """What a model accepts; a field is '' if it accepts no such input."""

    clips: str  # VIDEO or IMAGES
    pictures: str
    times: str  # how it learns the time of each frame
    sound: str
    system: str
    thinking: str

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that the model supports on a benchmark with sound."""
        watched = ("video", "first-frame", "middle-frame", "last-frame", "shuffled-frames")
        played = ("audio", "silent-one", "flipped-audio") if self.clips else ()
        return ("question-only", *(watched if self.clips else ()), *((*played, "audio-only") if self.sound else ()))

    def facts(self) -> dict[str, Any]:
        return asdict(self) | {"conditions": list(self.conditions)}


def abilities_of(opened: LoadedModel) -> Abilities:
    """The model's abilities, found by preparing a made-up clip and question; nothing is generated."""
    sees = "" if opened.sees == NOTHING else opened.sees
    return Abilities(
        clips=sees,
        pictures=opened.stills if sees else "",
        times=_times(opened) if sees == VIDEO else "",
        sound=opened.hears,
        system="read" if _reads_system(opened) else "",
        thinking=_thinking(opened),
    )


def _times(opened: LoadedModel) -> str:
    """How the times of frames reach the model, judged by the same frames at two speeds."""
    slow, fast = (_laid_out(opened, film(fps)) for fps in (2.0, 8.0))
    for way, names in TOLD.items():
        if any(names.search(name) and not _same(value, fast[name]) for name, value in slow.items()):
            return way
    return ""


def _laid_out(opened: LoadedModel, frames: Frames) -> dict[str, Any]:
    return inputs_of([Talk.begun(Request((Turn(QUESTION, frames), REPLY)))], opened)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(torch.equal(torch.as_tensor(one), torch.as_tensor(other)))


def _reads_system(opened: LoadedModel) -> bool:
    try:
        return MARK in opened.rendered(Talk.begun(Request((Turn(QUESTION), REPLY), system=MARK)))
    except ModelMisused:
        return False


def _thinking(opened: LoadedModel) -> str:
    template = str(opened.processor.chat_template)
    if found := SWITCH.search(template):
        return f"switched by {found[1]}"
    return "always" if OPENING.search(template) else ""


def film(fps: float = COUNT / SECONDS) -> Frames:
    """A made-up clip: a bright square moving to the right over grey."""
    pixels = np.full((COUNT, SIDE, SIDE, 3), 110, dtype=np.uint8)
    for place in range(COUNT):
        pixels[place, 36:60, 8 * place : 8 * place + 24] = (220, 60, 40)
    times = tuple(place / fps for place in range(COUNT))
    return Frames(pixels, tuple(range(COUNT)), times, "", COUNT / fps, fps)


def tone(rate: int = 16000) -> Audio:
    """A made-up sound as long as the clip: a tone of 440 Hz."""
    moments = np.arange(int(SECONDS * rate)) / rate
    return Audio((0.3 * np.sin(2 * np.pi * 440 * moments)).astype(np.float32), rate)


def question_for(abilities: Abilities) -> Request:
    """One question with every kind of input that the model accepts."""
    turn = Turn(QUESTION)
    if abilities.clips in (VIDEO, IMAGES):
        turn = replace(turn, frames=film())
    if abilities.sound:
        turn = replace(turn, audio=tone())
    return Request((turn, REPLY), max_new_tokens=16)
