"""The state of a conversation with a stateless model: every request repeats the whole conversation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from evaluation.adapters.base import REPLY, Reply, Request, Turn
from evaluation.parsing.numeric_replies import log_probs_written, surprises_written
from evaluation.replies import SpokenReply, readable
from measures.scores.clip_surprise import NotSurprises, checked_surprises, checked_times
from measures.scores.log_probabilities import NotLogProbabilities, checked_log_probs

USER, ASSISTANT = "user", "assistant"


@dataclass
class Dialogue:
    """A request with its replies so far."""

    request: Request
    replies: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    ended: str = ""
    error: str = ""
    is_lasting: bool = False  # whether the error would come again
    prompt: str = ""
    counts: list[tuple[int | None, int | None]] = field(default_factory=list)  # tokens read and written, by reply

    @property
    def tokens(self) -> tuple[int | None, int | None]:
        """The tokens read and written for all replies so far; None for a sum with a reply that was not counted."""
        return _total([read for read, _ in self.counts]), _total([written for _, written in self.counts])

    @property
    def is_open(self) -> bool:
        return not self.error and len(self.replies) < self.request.turns.count(REPLY)

    @property
    def weighs(self) -> bool:
        """Whether the next reply must be the log-probabilities of the options."""
        return self.request.by_likelihood and self._is_at_last

    @property
    def chooses(self) -> bool:
        """Whether the next reply must be one of the options."""
        return self.request.constrained and self._is_at_last

    @property
    def _is_at_last(self) -> bool:
        return len(self.replies) == self.request.turns.count(REPLY) - 1

    def weigh(self, log_probs: Any, where: str) -> None:
        """Add the log-probabilities of the options as the reply; invalid numbers become an error that names `where`."""
        try:
            known = checked_log_probs(log_probs if isinstance(log_probs, dict) else {}, self.request.options)
        except NotLogProbabilities as why:
            self.error = readable(f"{where}: {why}")
        else:
            self.replies.append(log_probs_written(known))
            self.thoughts.append("")

    def be_surprised(self, surprises: Any, times: Any) -> None:
        """Add the surprises of the clip's windows as the reply; without times, they belong to the last frames."""
        frames = next((turn.frames for _, turn in self.next_turns() if turn.frames), None)
        try:
            known = checked_surprises(surprises)
            at = checked_times(times, len(known)) if times else [*frames.times[-len(known) :]] if frames else []
        except NotSurprises as why:
            self.error = readable(str(why))
        else:
            self.replies.append(surprises_written(known, at if len(at) == len(known) else []))
            self.thoughts.append("")

    def next_turns(self) -> Iterator[tuple[str, Turn]]:
        """Yield (role, turn) for all turns up to the next reply."""
        replies = iter(self.replies)
        for part in self.request.turns:
            if isinstance(part, Turn):
                yield USER, part
            elif (reply := next(replies, None)) is not None:
                yield ASSISTANT, Turn(reply)
            else:
                return

    def messages_of(self, content_of: Callable[[Turn], list[Any]]) -> list[dict[str, Any]]:
        """The turns up to the next reply as messages; consecutive ones of one side are joined, since many templates and
        servers require alternating roles."""
        messages: list[dict[str, Any]] = []
        for role, turn in self.next_turns():
            if messages and messages[-1]["role"] == role:
                messages[-1]["content"] += content_of(turn)
            else:
                messages.append({"role": role, "content": content_of(turn)})
        return messages

    def hear(self, reply: SpokenReply) -> None:
        """Add a reply; its ending is kept only for the last one. Later requests hold what was said, as in the makers'
        own templates.
        """
        self.replies.append(reply.text)
        self.thoughts.append(reply.thoughts)
        self.ended = reply.ending.value if len(self.replies) == self.request.turns.count(REPLY) else ""

    def reply(self) -> Reply:
        tokens_in, tokens_out = self.tokens if self.counts else (None, None)
        text = self.replies[-1] if self.replies and not self.error else ""
        return Reply(
            text,
            turns=tuple(self.replies),
            ended=self.ended,
            error=self.error,
            thoughts=tuple(self.thoughts) if any(self.thoughts) else (),
            prompt=self.prompt,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            is_lasting=self.is_lasting,
        )


def _total(counts: list[int | None]) -> int | None:
    return None if None in counts else sum(filter(None, counts))
