"""The gate: who may know that an item exists, and its answer. Nothing else opens the tables of answers and seals.

`readers` says who may know what, `answers` opens what may be known, `seals` hides and shows items with all that tells
their answers (`closure`), `withheld` loads answers for scoring alone, and `doors` decides about the files of clips.
"""

from benchmarks.disclosure.answers import Answer, expected_of, open_answers, tells_secret, with_expected
from benchmarks.disclosure.readers import (
    PUBLIC,
    SCORER,
    STAFF,
    Fact,
    Reader,
    known_answers,
    open_facts,
    open_to,
    reader_of,
)
from benchmarks.disclosure.seals import hide, seals_changed, show, studies_hiding

__all__ = [
    "PUBLIC",
    "SCORER",
    "STAFF",
    "Answer",
    "Fact",
    "Reader",
    "expected_of",
    "hide",
    "known_answers",
    "open_answers",
    "open_facts",
    "open_to",
    "reader_of",
    "seals_changed",
    "show",
    "studies_hiding",
    "tells_secret",
    "with_expected",
]
