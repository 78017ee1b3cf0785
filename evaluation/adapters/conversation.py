"""The state of a conversation with a local model, and its messages for chat templates."""

from dataclasses import dataclass, field
from typing import Any

import torch

from evaluation.adapters.base import Frames, Request, Turn
from evaluation.adapters.dialogue import Dialogue

Message = dict[str, Any]

# How a model sees a clip: as one video, as several images, or not at all.
VIDEO, IMAGES, NOTHING = "video", "images", "nothing"
# How a model hears a clip: as a separate part after the pictures, or interleaved with the video's frames by time.
APART, WOVEN = "sound after the pictures", "sound between the frames"


@dataclass
class Talk(Dialogue):
    """A dialogue with a local model; the random state continues from reply to reply."""

    chance: torch.Generator = field(kw_only=True)

    @classmethod
    def begun(cls, request: Request) -> "Talk":
        return cls(request, chance=torch.Generator().manual_seed(request.seed))

    def messages(self, sees: str = VIDEO, stills: str = "", hears: str = "") -> list[Message]:
        """The messages up to the next reply, for a chat template: media first, then text.

        `sees` is the form of clips, `stills` the form of single pictures ("": like clips), `hears` the form of sound.
        For a text-only model the contents are plain strings.
        """
        system = self.request.system
        messages: list[Message] = [{"role": "system", "content": [_text(system)]}] if system else []
        messages += self.messages_of(lambda turn: _content(turn, sees, stills or sees, hears))
        is_plain = sees == NOTHING and not hears
        return [message | {"content": _joined(message["content"], is_plain=is_plain)} for message in messages]

    def clips(self) -> list[Frames]:
        """The frames shown so far, in order."""
        return [turn.frames for _, turn in self.next_turns() if turn.frames]

    def played(self) -> list[Turn]:
        """The turns so far that have sound, in order."""
        return [turn for _, turn in self.next_turns() if turn.audio]


def _content(turn: Turn, sees: str, stills: str, hears: str) -> list[Message]:
    visual: list[Message] = []
    if turn.frames:
        is_video = (stills if turn.frames.is_still else sees) == VIDEO
        visual = [{"type": "video"}] if is_video else [{"type": "image"}] * len(turn.frames)
    audio = [{"type": "audio"}] if turn.audio and not is_woven(turn, hears) else []
    return [*visual, *audio, _text(turn.text)]


def is_woven(turn: Turn, hears: str) -> bool:
    """Whether the turn's sound is interleaved with the frames of its video, so that it needs no separate part."""
    return hears == WOVEN and turn.frames is not None and not turn.frames.is_still


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _joined(content: list[Message], *, is_plain: bool) -> list[Message] | str:
    """The content without empty texts, adjacent texts joined by line breaks; a plain string for a text-only model."""
    content = [part for part in content if part.get("text") != ""] or content[:1]
    if is_plain:
        return "\n".join(part["text"] for part in content)
    joined: list[Message] = []
    for part in content:
        if part["type"] == "text" and joined and joined[-1]["type"] == "text":
            joined[-1] = _text(f"{joined[-1]['text']}\n{part['text']}")
        else:
            joined.append(part)
    return joined
