"""One answer of an uploaded file."""

from typing import NamedTuple

from evaluation.replies import RawReply, SpokenReply, reply_of

SEEDS_END = 2**31


class AnswerRow(NamedTuple):
    """One answer as uploaded.

    `kind` is `answer`, `reply` (raw), `prediction` (of an official result file), or, with numbers as JSON in `text`,
    `log_probs`, `margin` or `surprise`. `name` is the file's own name of the item, if it does not use the id. A tuple:
    a file may have a million rows.
    """

    line: int
    item: str
    kind: str
    text: str
    seed: int = 0
    name: str = ""
    thoughts: str = ""  # of a reasoning model, apart from its reply; never parsed
    finish: str | None = None  # the file's word for how the reply ended, if it has one

    @property
    def spoken(self) -> SpokenReply:
        """The reply as parsers get it."""
        return reply_of(RawReply(self.text, self.thoughts, self.finish))
