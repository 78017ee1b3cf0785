"""One answer of an uploaded file."""

from typing import NamedTuple

ANSWER, REPLY, PREDICTION, THOUGHTS = "answer", "reply", "prediction", "thoughts"
LOG_PROBS, MARGIN, SURPRISE = "log_probs", "margin", "surprise"
NUMBERS = (LOG_PROBS, MARGIN)  # the kinds of rows for strategies by likelihood
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
