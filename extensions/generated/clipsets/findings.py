"""What is wrong with a clip set: errors block it, notes are shown on its row."""

from dataclasses import dataclass
from enum import StrEnum


class Weight(StrEnum):
    ERROR = "error"
    NOTE = "note"


@dataclass(frozen=True, order=True)
class ClipSetFinding:
    """One defect, where it is, and what to do about it."""

    weight: Weight
    place: str  # a line of the manifest, a field of the card, or a file
    code: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def error(place: str, code: str, text: str) -> ClipSetFinding:
    return ClipSetFinding(Weight.ERROR, place, code, text)


def note(place: str, code: str, text: str) -> ClipSetFinding:
    return ClipSetFinding(Weight.NOTE, place, code, text)
