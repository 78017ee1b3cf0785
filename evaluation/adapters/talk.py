"""A conversation on its way: what was said, what is to be said next, what the model replied."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from evaluation.adapters.base import CUT_OFF, REPLY, Frames, Reply, Request, Turn

Message = dict[str, Any]

# How a model can be shown a clip: as one video, as a row of pictures, or not at all.
VIDEO, IMAGES, NOTHING = "video", "images", "nothing"


@dataclass
class Talk:
    """One request as far as it has gone; its random state goes on from reply to reply."""

    request: Request
    chance: torch.Generator
    replies: list[str] = field(default_factory=list)
    was_cut: bool = False
    error: str = ""

    @classmethod
    def begun(cls, request: Request) -> "Talk":
        return cls(request, torch.Generator().manual_seed(request.seed))

    @property
    def is_open(self) -> bool:
        return not self.error and len(self.replies) < self.request.turns.count(REPLY)

    def messages(self, sees: str = VIDEO) -> list[Message]:
        """Everything up to the next reply, as chat templates take it: what is shown first, then the words.

        What we say before the model speaks is one message, however many turns and clips it has: chat templates want
        the two sides to alternate. A model that sees nothing has a template that takes plain strings.
        """
        system = self.request.system
        messages: list[Message] = [{"role": "system", "content": [_text(system)]}] if system else []
        for part in self._parts():
            role, content = ("user", _content(part, sees)) if isinstance(part, Turn) else ("assistant", [_text(part)])
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"] += content
            else:
                messages.append({"role": role, "content": content})
        return [message | {"content": _joined(message["content"], sees)} for message in messages]

    def clips(self) -> list[Frames]:
        """What was shown so far, in order."""
        return [part.frames for part in self._parts() if isinstance(part, Turn) and part.frames]

    def _parts(self) -> Iterator[Turn | str]:
        said = iter(self.replies)
        for part in self.request.turns:
            if isinstance(part, Turn):
                yield part
            elif (reply := next(said, None)) is not None:
                yield reply
            else:
                return

    def hear(self, text: str, *, was_cut: bool) -> None:
        self.replies.append(text)
        self.was_cut = was_cut

    def reply(self) -> Reply:
        text = self.replies[-1] if self.replies and not self.error else ""
        ended = CUT_OFF if self.was_cut else ""
        return Reply(text, turns=tuple(self.replies), ended=ended, error=self.error)


def _content(turn: Turn, sees: str) -> list[Message]:
    shown = [] if not turn.frames else [{"type": "video"}] if sees == VIDEO else [{"type": "image"}] * len(turn.frames)
    return [*shown, _text(turn.text)]


def _text(text: str) -> Message:
    return {"type": "text", "text": text}


def _joined(content: list[Message], sees: str) -> list[Message] | str:
    """Texts that follow each other get a line each; between others stands what is shown."""
    if sees == NOTHING:
        return "\n".join(part["text"] for part in content)
    joined: list[Message] = []
    for part in content:
        if part["type"] == "text" and joined and joined[-1]["type"] == "text":
            joined[-1] = _text(f"{joined[-1]['text']}\n{part['text']}")
        else:
            joined.append(part)
    return joined
