"""Problems of an uploaded file: a code and a sentence each (docs/submitting.md lists the codes)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file: `what` in a sentence, with its line and item if known."""

    code: str
    what: str
    line: int | None = None
    item: str = ""

    def __str__(self) -> str:
        place = [f"line {self.line}" if self.line else "", f"item {self.item}" if self.item else ""]
        return ", ".join(part for part in place if part) + (": " if any(place) else "") + self.what


class Unreadable(Exception):
    """The rest of the file can't be read; `problem` says why."""

    def __init__(self, code: str, what: str, *, line: int | None = None) -> None:
        super().__init__(what)
        self.problem = Problem(code, what, line)


class SubmissionRefused(Exception):
    """The upload can't be stored; the message tells the sender why."""


class NameTaken(SubmissionRefused):
    """The model belongs to somebody else."""
