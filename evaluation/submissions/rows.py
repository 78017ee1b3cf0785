"""One answer of an uploaded file."""

from typing import NamedTuple

ANSWER, REPLY, PREDICTION = "answer", "reply", "prediction"


class Row(NamedTuple):
    """One answer as it was given; `kind` says whether it is an `answer`, a raw `reply` or an official `prediction`.

    `name` is what the file calls the item where it does not know its id. A tuple: a file may have a million of them.
    """

    line: int
    item: str
    kind: str
    text: str
    seed: int = 0
    name: str = ""
