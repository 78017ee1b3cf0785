"""One answer of an uploaded file."""

from dataclasses import dataclass

ANSWER, REPLY, PREDICTION = "answer", "reply", "prediction"


@dataclass(frozen=True, slots=True)
class Row:
    """One answer as it was given; `kind` says whether it is an `answer`, a raw `reply` or an official `prediction`.

    `name` is what the file calls the item where it does not know its id.
    """

    line: int
    item: str
    kind: str
    text: str
    seed: int = 0
    name: str = ""
