"""The state of a conversation with a local model, and its messages for chat templates."""

from dataclasses import dataclass, field
from typing import Any

import torch

from evaluation.adapters.base import CUT_IN_THOUGHT, CUT_OFF, Frames, Request, Turn
from evaluation.adapters.dialogue import Dialogue
from evaluation.parsing.thoughts import SpokenReply

Message = dict[str, Any]

# How a model sees a clip: as one video, as several images, or not at all.
VIDEO, IMAGES, NOTHING = "video", "images", "nothing"


@dataclass
class Talk(Dialogue):
    """A dialogue with a local model; the random state carries on from reply to reply."""

    chance: torch.Generator = field(kw_only=True)

    @classmethod
    def begun(cls, request: Request) -> "Talk":
        return cls(request, chance=torch.Generator().manual_seed(request.seed))

    def messages(self, sees: str = VIDEO, stills: str = "") -> list[Message]:
        """The messages up to the next reply, for a chat template: media first, then text.

        `sees` says how clips are shown, `stills` how pictures of their own are ("": like clips). Consecutive turns of
        ours become one message, since chat templates want the two sides to alternate. For a model that sees nothing the
        contents are plain strings.
        """
        system = self.request.system
        messages: list[Message] = [{"role": "system", "content": [_text(system)]}] if system else []
        for role, turn in self.said():
            content = _content(turn, sees, stills or sees)
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"] += content
            else:
                messages.append({"role": role, "content": content})
        return [message | {"content": _joined(message["content"], sees)} for message in messages]

    def clips(self) -> list[Frames]:
        """The frames shown so far, in order."""
        return [turn.frames for _, turn in self.said() if turn.frames]

    def add(self, said: SpokenReply, *, was_cut: bool) -> None:
        """Add a reply; later messages hold only its answer, as in the makers' own templates."""
        self.replies.append(said.answer)
        self.thoughts.append(said.thoughts)
        self.ended = (CUT_IN_THOUGHT if said.is_open else CUT_OFF) if was_cut else ""


def _content(turn: Turn, sees: str, stills: str) -> list[Message]:
    return [*(_shown(turn.frames, stills if turn.frames.is_still else sees) if turn.frames else ()), _text(turn.text)]


def _shown(frames: Frames, sees: str) -> list[Message]:
    return [{"type": "video"}] if sees == VIDEO else [{"type": "image"}] * len(frames)


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _joined(content: list[Message], sees: str) -> list[Message] | str:
    """The content without empty texts, others joined by line breaks; a plain string for a model that sees nothing."""
    content = [part for part in content if part.get("text") != ""] or content[:1]
    if sees == NOTHING:
        return "\n".join(part["text"] for part in content)
    joined: list[Message] = []
    for part in content:
        if part["type"] == "text" and joined and joined[-1]["type"] == "text":
            joined[-1] = _text(f"{joined[-1]['text']}\n{part['text']}")
        else:
            joined.append(part)
    return joined
