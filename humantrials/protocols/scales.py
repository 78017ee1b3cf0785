"""The scale on which participants say how sure they are of an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from humantrials.protocols.protocol import Text

FEWEST, MOST = 2, 7
LOW, HIGH = _("not sure at all"), _("completely sure")
LONGEST_LABEL = 40


@dataclass(frozen=True)
class ConfidenceScale:
    """Steps from 1, and the words at both ends; the author's own words are not translated."""

    steps: int
    low: Text = LOW
    high: Text = HIGH

    @property
    def values(self) -> range:
        return range(1, self.steps + 1)

    @property
    def words(self) -> str:
        return f"{self.steps} steps from “{self.low}” to “{self.high}”"


def read_scale(text: str) -> str:
    """Parse the stored scale, `5` or `5, guessing, certain`; raises ValueError if it is invalid."""
    number, *labels = (part.strip() for part in text.split(","))
    if not (number.isdecimal() and len(number) == 1 and FEWEST <= int(number) <= MOST) or len(labels) not in (0, 2):
        raise ValueError(text)
    if not all(0 < len(label) <= LONGEST_LABEL and label.isprintable() for label in labels):
        raise ValueError(text)
    return ", ".join((number, *labels))


def scale_of(settings: Mapping[str, Any]) -> ConfidenceScale | None:
    """The trial's scale; None if the trial asks for no confidence."""
    if not settings.get("confidence"):
        return None
    number, *labels = settings["confidence"].split(", ")
    return ConfidenceScale(int(number), *labels)
