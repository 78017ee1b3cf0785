"""One answer of an uploaded file."""

from typing import NamedTuple

ANSWER, REPLY, PREDICTION = "answer", "reply", "prediction"


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
