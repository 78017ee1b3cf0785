"""Widths of texts in drawings, and lines that fit a room: a name is wrapped, never cut."""

import re

# Units of a text of 13: those of Inter, or of DejaVu Sans, which files fall back on, where that is wider.
GROUPS = (
    (3.5, "ijl′"),
    (4.0, " ',.I·"),
    (5.0, "!()[]rt/:;\\f|"),
    (6.5, '"-*_`–◊°'),
    (7.5, "?szFJLckvxy"),
    (8.5, "Eabdeghnopquäöü0123456789$KPST{}α"),
    (9.5, "ABRVXYZCU"),
    (10.5, "&DGHNOQw"),
    (12.5, "#+<=>^~−×±Mm"),
)
WIDTHS = {letter: width for width, letters in GROUPS for letter in letters}
WIDEST = 13.0
PIECES = re.compile(r"(?<=[\s/_+,-])")  # a line may end here


def width_of(text: str) -> float:
    """The width of a text, rather too large than too small."""
    return sum(WIDTHS.get(letter, WIDEST) for letter in text)


def lines_in(text: str, room: float) -> list[str]:
    """The text in as many lines of this room as it takes; a word that is wider is broken anywhere."""
    lines = [""]
    for piece in (part for word in PIECES.split(text) for part in _broken(word, room)):
        if lines[-1] and width_of((lines[-1] + piece).rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def fits(text: str, room: float) -> bool:
    """Whether every word of the text is narrower than the room."""
    return all(width_of(word.strip()) <= room for word in PIECES.split(text))


def _broken(word: str, room: float) -> list[str]:
    parts = [""]
    for letter in word:
        if parts[-1] and letter != " " and width_of(parts[-1] + letter) > room:
            parts.append("")
        parts[-1] += letter
    return parts
