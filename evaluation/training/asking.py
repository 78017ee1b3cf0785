"""One question about two objects: what every model of pairs learns from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """The two objects by their numbers; `label` 1 is the second."""

    first: int
    second: int
    text: str
    label: int
