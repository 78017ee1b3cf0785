"""One answer of an uploaded file."""

from typing import NamedTuple

ANSWER, REPLY, PREDICTION, THOUGHTS = "answer", "reply", "prediction", "thoughts"


class AnswerRow(NamedTuple):
    """One answer as uploaded; `kind` is `answer`, `reply` (raw) or `prediction` (of an official result file).

    `name` is the file's own name of the item, if it does not use the id. A tuple, since a file may have a million rows.
    """

    line: int
    item: str
    kind: str
    text: str
    seed: int = 0
    name: str = ""
    thoughts: str = ""  # of a reasoning model, apart from its reply; never parsed
