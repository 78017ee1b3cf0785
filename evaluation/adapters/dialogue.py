"""A conversation with a model that keeps no state: all of it is told again for every reply."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluation.adapters.base import REPLY, Reply, Request, Turn

USER, ASSISTANT = "user", "assistant"


@dataclass
class Dialogue:
    """One request as far as it has gone."""

    request: Request
    replies: list[str] = field(default_factory=list)
    ended: str = ""
    error: str = ""

    @property
    def is_open(self) -> bool:
        return not self.error and len(self.replies) < self.request.turns.count(REPLY)

    def said(self) -> Iterator[tuple[str, Turn]]:
        """(role, turn) up to the next reply."""
        replies = iter(self.replies)
        for part in self.request.turns:
            if isinstance(part, Turn):
                yield USER, part
            elif (reply := next(replies, None)) is not None:
                yield ASSISTANT, Turn(reply)
            else:
                return

    def hear(self, text: str, *, ended: str = "") -> None:
        """Keep a reply. One that was cut off or refused ends the talk where the model was to speak last."""
        self.replies.append(readable(text))
        self.ended = ended if len(self.replies) == self.request.turns.count(REPLY) else ""

    def reply(self) -> Reply:
        text = self.replies[-1] if self.replies and not self.error else ""
        return Reply(text, turns=tuple(self.replies), ended=self.ended, error=self.error)


def readable(text: str) -> str:
    """Half a surrogate pair, which JSON can carry, is no text that a database keeps."""
    return text.encode("utf-8", "replace").decode("utf-8")
