"""The gate: who may know that an item exists, and its answer. Nothing else opens the tables of answers and seals.

`readers` says who may know what and opens it, `seals` hides and shows items with all that tells their answers and loads
answers for scoring alone, and `doors` decides about the files of clips.
"""

from benchmarks.disclosure.readers import (
    PUBLIC,
    SCORER,
    STAFF,
    Answer,
    Fact,
    Reader,
    expected_of,
    known_answers,
    open_answers,
    open_facts,
    open_to,
    reader_of,
    tells_secret,
    with_expected,
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
