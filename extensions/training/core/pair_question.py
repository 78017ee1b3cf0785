"""One question about two objects, from which all pair models learn."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PairQuestion:
    """The two objects by their numbers; `label` is 1 if the answer is the second."""

    first: int
    second: int
    text: str
    label: int
