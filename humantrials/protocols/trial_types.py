"""Each kind of participant page and its recorded fields, which form, stored columns, export and tests share."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from unicodedata import category

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from humantrials.errors import BadForm
from measures.scores.number_answers import typed_number

LONGEST_TEXT = 120
SECONDS, NUMBER = "seconds", "number"  # buttons whose answer is the number typed beside them
LARGEST = 32_767.0  # seconds or counts: no page is open for longer, and a small integer can't hold more
NO_NUMBER = _("Please write one number, such as 12 or 1.5, without marks between thousands.")
PLAIN_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,6})?", re.ASCII)
WATCHED = 0.95  # share of the clip below which an answer gets a flag


@dataclass(frozen=True)
class RecordedField:
    """One recorded field: its type, where it is stored, and its line in the codebook."""

    name: str
    type: type
    meaning: str
    is_column: bool = False  # a column of the judgment, else a key of its `playback`


# What tells a person from a program; the pages have the same fields (templates/humantrials/parts/person.html).
PERSON = (
    RecordedField(
        "automation",
        str,
        "signs that a program steers the browser, with blanks: webdriver and headless, as the browser says;"
        " untrusted = no press, key or move of a person in the second before the answer",
    ),
    RecordedField("inputs", int, "presses, keys and moves of the pointer since the question came"),
    RecordedField("remark", str, "what a hidden field holds, which only the page's source shows"),
)


@dataclass(frozen=True)
class TrialType:
    """A kind of participant page."""

    template: str
    records: tuple[RecordedField, ...]
    number: str = ""  # the field whose number is the answer of the button that asks for one

    def answer_in(self, posted: Mapping[str, str]) -> str:
        """The answer as it is stored: the button's, or the number beside it without superfluous zeros."""
        answer = posted.get("answer", "")
        if not self.number or answer not in (SECONDS, NUMBER):
            return answer
        typed = posted.get(self.number, "")
        number = typed_number(typed)
        if number is None or (answer == SECONDS and not PLAIN_NUMBER.fullmatch(number)):
            raise BadForm(NO_NUMBER)
        return number if answer == NUMBER else f"{float(number):g}"

    @cached_property
    def fields(self) -> SafeString:
        """The hidden form fields into which the page writes what it records."""
        own = [record for record in self.records if record not in PERSON]
        return format_html_join("", '<input type="hidden" name="{}">', ((record.name,) for record in own))

    def columns(self, posted: Mapping[str, str]) -> dict[str, Any]:
        """The page's values as columns of a judgment; flags name what is doubtful."""
        read = {record.name: read_value(posted.get(record.name, ""), record.type) for record in self.records}
        columns = {record.name: read.pop(record.name) for record in self.records if record.is_column}
        playback = {name: value for name, value in read.items() if value is not None}
        playback["flags"] = [*_flags(columns), *(["problem"] if read["problem"] else [])]
        return {**columns, "replays": columns.get("replays") or 0, "playback": playback}


def _flags(columns: Mapping[str, Any]) -> list[str]:
    """The flags of doubtful values; a page without a clip is never "not-watched"."""
    flags = ["untimed"] if columns["seconds"] is None else []
    watched = columns.get("watched", WATCHED)
    return [*flags, *(["not-watched"] if watched is None or watched < WATCHED else [])]


def read_value(text: str, kind: type) -> Any:
    """The value that a page sent, or None: a bad number must not cost an answer."""
    text = "".join(letter for letter in text if letter.isprintable()).strip()
    if not text:
        return None
    if kind is str:
        return text[:LONGEST_TEXT]
    try:
        number = float(text)
    except ValueError:
        return None
    return kind(number) if math.isfinite(number) and 0 <= number <= LARGEST else None


def plain_text(text: str) -> str:
    """Free text without control characters, which PostgreSQL refuses; a line's end is one character, as in browsers."""
    unified = text.replace("\r\n", "\n")
    return "".join(char for char in unified if char in "\n\t" or category(char) not in ("Cc", "Cs")).strip()


VIDEO_CHOICE = TrialType(
    template="humantrials/trial.html",
    records=(
        RecordedField("seconds", float, "from the first frame shown to the answer", is_column=True),
        RecordedField("replays", int, "how often the clip was started again after its end", is_column=True),
        RecordedField(
            "watched", float, "share of the clip that was played in view, at up to twice its speed", is_column=True
        ),
        RecordedField(
            "after_end", float, "seconds from the end of the first full watch to the answer; of two: the later"
        ),
        RecordedField("stalls", int, "how often the clip stood still to load"),
        RecordedField("stalled_seconds", float, "how long it stood still"),
        RecordedField("pauses", int, "how often the participant paused the clip"),
        RecordedField("seeks", int, "attempts to jump in the clip"),
        RecordedField("rate_changes", int, "how often its speed was changed"),
        RecordedField("leaves", int, "how often the page was left for another window or tab"),
        RecordedField("away_seconds", float, "how long it was left"),
        RecordedField("dropped_frames", int, "frames that the browser did not show"),
        RecordedField("failures", int, "how often the clip failed to load or to start"),
        RecordedField(
            "clock", str, "source of the first frame: frame = the browser's own report, event = the playing event"
        ),
        RecordedField("reloads", int, "how often the page was loaded again before the answer"),
        RecordedField("viewport_width", float, "width of the page in CSS pixels, at the answer"),
        RecordedField("viewport_height", float, "height of the page in CSS pixels, at the answer"),
        RecordedField("pixel_ratio", float, "screen pixels per CSS pixel"),
        RecordedField("clip_width", float, "width of the clip on the page in CSS pixels, at the answer"),
        RecordedField("device", str, "the device according to the browser: computer, tablet or phone"),
        RecordedField("refresh_hz", float, "screen refreshes in a second, the median of up to 40"),
        RecordedField("volume", float, "volume of the player, 0 to 1, at the answer; of two clips the lower one"),
        RecordedField("muted", int, "1 = the player, or one of two, was muted at the answer"),
        RecordedField("problem", str, "the participant reported that something is wrong with the clip"),
        *PERSON,
    ),
)

VIDEO_MOMENT = TrialType(
    template="humantrials/moment.html",
    records=(
        *VIDEO_CHOICE.records,
        RecordedField(
            "presses", str, "seconds of the clip at which the person pressed during the first watch, with blanks"
        ),
    ),
    number="moment",
)

VIDEO_NUMBER = TrialType(template="humantrials/number.html", records=VIDEO_CHOICE.records, number="number")

RATING = TrialType(
    template="humantrials/rate.html",
    records=(
        RecordedField("seconds", float, "from the moment the page could be read to the answer", is_column=True),
        RecordedField("problem", str, "the participant reported that something is wrong with the page"),
        *PERSON,
    ),
)

STILLS = TrialType(template="humantrials/stills.html", records=RATING.records)

PICK = TrialType(template="humantrials/pick.html", records=RATING.records)
