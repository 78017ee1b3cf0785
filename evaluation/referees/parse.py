"""Parses a referee's reply into points on every dimension, or the reason why there are none. Nothing is guessed.

Points are collected from JSON, tables and prose; a dimension counts if they all give the same number. Anything
ambiguous (3-4, 8/10, a correction, two different scores) is no score: the referee is asked again.

Prose is split where a line or sentence begins with a dimension's name that a colon, a dash or the word `score` follows.
In each piece the score comes first (`score: [4]`, `4/5`), or after the reasons in its own sentence (`Score: 4`);
numbers within a reason are never used. GPT-4's replies printed in the Giraffe paper omit the brackets and separate the
dimensions by a space, a line or an empty line.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import isfinite
from typing import Any

from evaluation.referees.rubrics import Dimension, Rubric
from evaluation.replies import RawReply, reply_of

SAME = str.maketrans(
    {"：": ":", "／": "/", "［": "[", "］": "]", "\u00a0": " ", "\u202f": " ", "\r": "\n", "\u2011": "-"}
)
NUMBER = r"-?[0-9]{1,6}(?:\.[0-9]{1,6})?"
WORDS = {"zero": 0.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}


@dataclass(frozen=True)
class MarkedPoints:
    """Points that a reply gives on one dimension; None if its text is not a clear number."""

    dimension: Dimension
    points: float | None
    reply: str = ""


def without_thoughts(raw: str) -> str:
    """The reply without a reasoning model's thoughts, in plain characters; unfinished thoughts leave an empty reply."""
    return reply_of(RawReply(raw)).answer.translate(SAME)


def plain(name: str) -> str:
    """A name for comparison: only letters, in lower case."""
    return "".join(letter for letter in name.lower() if letter.isalpha())


def named(name: str, dimensions: tuple[Dimension, ...]) -> Dimension | None:
    """The dimension with this name, also as "accuracy_score" or "Logical-Consistency"."""
    wanted = plain(name)
    return next((each for each in dimensions if wanted in (plain(each.label), plain(each.label) + "score")), None)


def number_alone(text: str, dimension: Dimension) -> float | None:
    """The number in "4", "4.5", "[4]", "4/5" or "4 out of 5"; None if the text says anything else."""
    found = _alone(dimension.highest).fullmatch(text.strip())
    return float(found[1]) if found else None


def out_of(highest: int) -> str:
    """The pattern of "/5" and "out of 5", with the spaces before it."""
    return rf"\s*(?:/|out\s+of)\s*{highest}(?:\.0)?(?![0-9.]*[0-9])"


@lru_cache
def _alone(highest: int) -> re.Pattern[str]:
    return re.compile(rf"\**\[?\s*({NUMBER})\s*\]?(?:{out_of(highest)})?\s*(?:points?)?\**\.?", re.IGNORECASE)


Dimensions = tuple[Dimension, ...]
START = re.compile(r"\{\s*\"|\[\s*\{")
MOST_BLOCKS, DEEPEST = 5, 6
NAMING = ("dimension", "criterion", "category", "metric", "name")  # keys whose value may name a dimension
SCORING = ("score", "value", "rating", "points")
RULE = frozenset("|:+- \t")  # characters of the line below a table's header


class OrderedObjectPairs(list):
    """A JSON object in its order, including repeated keys."""


DECODER = json.JSONDecoder(object_pairs_hook=OrderedObjectPairs)


def in_json(text: str, dimensions: Dimensions) -> tuple[list[MarkedPoints], str]:
    """The points in the reply's JSON objects, and the reply without these objects; broken JSON is treated as prose."""
    found, place = [], 0
    for _ in range(MOST_BLOCKS):
        start = START.search(text, place)
        if start is None:
            break
        try:
            block, end = DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place = start.end()
            continue
        findings = list(_walk(block, dimensions, DEEPEST))
        found += findings
        place = start.end() if not findings else start.start()
        text = text[: start.start()] + "\n" + text[end:] if findings else text
    return found, text


def _walk(block: Any, dimensions: Dimensions, depth: int) -> Iterator[MarkedPoints]:
    if not isinstance(block, list) or not depth:
        return
    if not isinstance(block, OrderedObjectPairs):
        for each in block:
            yield from _walk(each, dimensions, depth - 1)
        return
    if dimension := _dimension_named(block, dimensions):
        yield _finding(block, dimension)
        return
    for key, value in block:
        if dimension := named(key, dimensions):
            yield _finding(value, dimension)
        else:
            yield from _walk(value, dimensions, depth - 1)


def _dimension_named(block: OrderedObjectPairs, dimensions: Dimensions) -> Dimension | None:
    """The dimension in an object such as {"dimension": "Accuracy", "score": 4}."""
    names = [value for key, value in block if plain(key) in NAMING and isinstance(value, str)]
    return named(names[0], dimensions) if len(names) == 1 else None


def _finding(value: Any, dimension: Dimension) -> MarkedPoints:
    return MarkedPoints(dimension, _points(value, dimension), json.dumps(value)[:60])


def _points(value: Any, dimension: Dimension) -> float | None:
    """A number, a text that is one, or the only score of an object; booleans are no numbers."""
    if isinstance(value, OrderedObjectPairs):
        scores = [each for key, each in value if plain(key) in SCORING]
        is_clear = len(scores) == 1 and not isinstance(scores[0], OrderedObjectPairs)
        return _points(scores[0], dimension) if is_clear else None
    if isinstance(value, list):
        return _points(value[0], dimension) if len(value) == 1 and not isinstance(value[0], list) else None
    if isinstance(value, str):
        return number_alone(value, dimension)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e6 and isfinite(value) else None


def in_tables(text: str, dimensions: Dimensions) -> tuple[list[MarkedPoints], str]:
    """The points in Markdown tables (dimensions as rows or columns), and the reply without the tables."""
    if "|" not in text:
        return [], text
    found, rest, table = [], [], []
    for line in [*text.split("\n"), ""]:
        if line.strip().startswith("|"):
            table.append(line)
            continue
        if table:
            findings = list(_of_table([_cells(row) for row in table if not set(row) <= RULE], dimensions))
            found += findings
            rest += [] if findings else table
            table = []
        rest.append(line)
    return found, "\n".join(rest)


def _cells(line: str) -> list[str]:
    return [cell.strip(" *_`") for cell in line.strip().strip("|").split("|")]


def _of_table(rows: list[list[str]], dimensions: Dimensions) -> Iterator[MarkedPoints]:
    heads = [named(cell, dimensions) for cell in rows[0]] if rows else []
    if sum(head is not None for head in heads) > 1:
        yield from _by_column(heads, rows[1:])
        return
    column = next((place for place, cell in enumerate(rows[0] if rows else ()) if plain(cell) in SCORING), None)
    for row in rows:
        if dimension := named(row[0], dimensions):
            yield _of_row(row[1:], dimension, None if column is None else column - 1)


def _by_column(heads: list[Dimension | None], rows: list[list[str]]) -> Iterator[MarkedPoints]:
    for place, dimension in enumerate(heads):
        for row in rows:
            cell = row[place] if dimension and place < len(row) else ""
            if dimension and cell:
                yield MarkedPoints(dimension, number_alone(cell, dimension), cell[:60])


def _of_row(cells: list[str], dimension: Dimension, column: int | None) -> MarkedPoints:
    """The points in the `score` column, else those in the only cell with a number."""
    if column is not None and 0 <= column < len(cells):
        return MarkedPoints(dimension, number_alone(cells[column], dimension), cells[column][:60])
    numbers = [points for cell in cells if (points := number_alone(cell, dimension)) is not None]
    return MarkedPoints(dimension, numbers[0] if len(numbers) == 1 else None, " | ".join(cells)[:60])


EMPHASIS = re.compile(r"(?<![0-9])[*`]+|[*`]+(?![0-9*`])|(?<!\w)_+|_+(?!\w)|<br\s*/?>")
MARK = r"[\s>#•+–—-]{0,20}(?:(?:[0-9]{1,2}|[a-e]|[ivx]{1,3})\s*[.):]\s*|\([0-9]\)\s*)?"
SCALE = r"(?:\s*\(\s*(?:scores?:?\s*)?(?:from\s+)?(?:0\s*(?:-|–|to|or|/)\s*[15]|out\s+of\s+[15])\s*\))?"
BEHIND = r"(?=\s*[:=|(\[]|\s+[–—-]\s|\s+scores?\b|\s*\n|\s*\Z|\s+[0-9])"
SCORE = r"(?:the\s+)?(?:final\s+)?score(?:_i|s)?\b\s*(?:is\b|of\b)?\s*(?:[:=|]|[–—-](?=\s))?\s*"
KEYWORD = re.compile(r"[\s:=|\[({–—-]*" + SCORE, re.IGNORECASE)
LATER = re.compile(r"[\n.!?;\])][\s•>#+–—-]{0,20}(?:the\s+)?score(?:_i)?\s*(?:is\b|[:=])\s*", re.IGNORECASE)
BEFORE_BARE = re.compile(r"[ \t]*(?:[:=|]|[–—-](?=\s))?[ \t]*")
EMPTY = re.compile(r"\[?\s*\]?\s*(?:\.|,|;|reason|rationale|\n|\Z)", re.IGNORECASE)
BETWEEN = r"[\s_-]*"  # between the words of a name
SPOKEN = "|".join(WORDS)
VALUE = rf"[\[(]?\s*({NUMBER}|(?:{SPOKEN})\b)"
# A correction in the same sentence: "or 5", "no, 4", "maybe 3".
DOUBT = (
    r"\s*(?:or|to|and|but|no|if|unless|maybe|perhaps|possibly|actually|rather|wait|sorry|correction|make|minus|plus)\b"
    r"[^.\n]{0,40}[0-9]"
)
BECAUSE = r"(?:reason|reasons|reasoning|rationale|explanation|justification|because|since|as|for|due|given|with)\b"
CALM = "|".join(
    (
        r"\s*(?=\n|\Z)",
        rf"[.]{{1,3}}(?![0-9.])(?!{DOUBT})",
        rf"[,;:|](?!\s*[0-9])(?!{DOUBT})",
        r"\s+[–—-]\s+(?=[^\W\d])",
        r"\s*\((?![^)]*[0-9])",
    )
)
LIST_GOES_ON = re.compile(r"[\s\S]*?(?:[.;,)]|\s)\s*2\s*[.)]\s*\S")


def in_prose(text: str, dimensions: tuple[Dimension, ...]) -> Iterator[MarkedPoints]:
    """The points that the text gives on each dimension, piece by piece."""
    text = EMPHASIS.sub(lambda found: "\n" if found[0].startswith("<") else "", text)
    names = list(_names(dimensions).finditer(text))
    ends = [*(found.start() for found in names[1:]), len(text)]
    for found, end in zip(names, ends, strict=False):  # without a name, zip yields nothing
        dimension = dimensions[int(str(found.lastgroup)[1:])]
        yield from _of_piece(text[found.end() : end], dimension)


def _of_piece(piece: str, dimension: Dimension) -> Iterator[MarkedPoints]:
    """The score at the beginning and those in later sentences; the caller compares them."""
    first = KEYWORD.match(piece)
    if first:
        yield from _after_the_word(piece[first.end() :], dimension)
    else:
        yield from _bare(piece[BEFORE_BARE.match(piece).end() :], dimension)  # type: ignore[union-attr]
    for later in LATER.finditer(piece, first.end() if first else 0):
        yield from _after_the_word(piece[later.end() :], dimension)


def _after_the_word(rest: str, dimension: Dimension) -> Iterator[MarkedPoints]:
    """The points after `score:`; skips the empty brackets of the requested form."""
    found = _valued(dimension.highest).match(rest)
    if found:
        yield MarkedPoints(dimension, _number(found[1]), found[0].strip())
    elif not EMPTY.match(rest):
        yield MarkedPoints(dimension, None, _shortened(rest))


def _bare(rest: str, dimension: Dimension) -> Iterator[MarkedPoints]:
    """A number right after the name, as in `Accuracy: 4/5`; text and a list "1. … 2. …" are no scores."""
    found = _bare_valued(dimension.highest).match(rest)
    if found and not (found[1] == "1" and rest[found.end(1) :].startswith(".") and LIST_GOES_ON.match(rest)):
        yield MarkedPoints(dimension, float(found[1]), found[0].strip())
    elif not found and _looks_like_a_score(rest):
        yield MarkedPoints(dimension, None, _shortened(rest))


def _looks_like_a_score(rest: str) -> bool:
    return bool(re.match(rf"[\[(]?\s*[~≈<>]?\s*{NUMBER}\s*(?:[-–/~%]|to\b|or\b|and\b|,\s*[0-9])", rest))


def _number(text: str) -> float:
    word = WORDS.get(text.lower())
    return float(text) if word is None else word


def _shortened(rest: str) -> str:
    return " ".join(rest.split())[:40]


@lru_cache
def _names(dimensions: tuple[Dimension, ...]) -> re.Pattern[str]:
    """A pattern of each dimension's name, in all spellings, at the start of a line or sentence."""
    spelt = (
        rf"(?P<d{number}>{BETWEEN.join(map(re.escape, each.label.split()))})" for number, each in enumerate(dimensions)
    )
    begins = r"(?:\A|\n|(?<=[.!?;,|\])}]))"
    lead = r"(?:the\s+)?(?:scores?\s+(?:for|of)\s+)?[\"'\[(]?"
    return re.compile(rf"{begins}{MARK}{lead}(?:{'|'.join(spelt)})[\"'\])]?{SCALE}{BEHIND}", re.IGNORECASE)


@lru_cache
def _valued(highest: int) -> re.Pattern[str]:
    """A pattern of a number after `score:` that the text behind it does not revoke."""
    reason = rf"\s+{BECAUSE}(?![^.\n]{{0,40}}[0-9])|\s+(?=(?-i:[A-Z]))(?!{DOUBT})"
    return re.compile(rf"{VALUE}{_closed(highest)}(?:{CALM}|{reason})", re.IGNORECASE)


@lru_cache
def _bare_valued(highest: int) -> re.Pattern[str]:
    """A pattern of a number without the word `score`; less may follow it."""
    return re.compile(rf"[\[(]?\s*({NUMBER}){_closed(highest)}(?:{CALM})", re.IGNORECASE)


def _closed(highest: int) -> str:
    """A pattern of brackets, "/5" and "points" after the number, in either order."""
    scale = rf"(?:{out_of(highest)}|\s*\(\s*out\s+of\s+{highest}\s*\))?"
    return rf"\s*\]?{scale}(?:\s*points?\b)?\s*[\])]?(?![\w/%½¼¾~+*×^-])"


PARSER, VERSION = "referee-scores", "3"
UNSCORED = "unscored"


@dataclass(frozen=True)
class RefereeScores:
    """Scores by dimension as shares of the maximum, 0 to 1; or no scores and the problem as text."""

    scores: dict[str, float]
    problem: str = ""


def verdict_of(raw: str, rubric: Rubric) -> RefereeScores:
    """The scores on all dimensions; no scores at all if one dimension is missing."""
    found = findings_in(raw, rubric.dimensions)
    scores = {}
    for dimension in rubric.dimensions:
        points = points_of([each for each in found if each.dimension == dimension], dimension)
        if isinstance(points, str):
            return RefereeScores({}, points)
        scores[dimension.name] = points / dimension.highest
    return RefereeScores(scores)


def findings_in(raw: str, dimensions: tuple[Dimension, ...]) -> list[MarkedPoints]:
    """All points and unclear statements in the reply; each parser removes what it has read."""
    text = without_thoughts(raw)
    written, text = in_json(text, dimensions)
    from_tables, text = in_tables(text, dimensions)
    return list(chain(written, from_tables, in_prose(text, dimensions)))


def points_of(found: list[MarkedPoints], dimension: Dimension) -> float | str:
    """The reply's points on the dimension, or the problem; differing points are a problem."""
    if unclear := next((each for each in found if each.points is None), None):
        return f"no score for {dimension.label} that can be read: {unclear.reply}"
    points = sorted({each.points for each in found if each.points is not None})
    if not points:
        return f"no score for {dimension.label}"
    if len(points) > 1:
        return f"several scores for {dimension.label}: {', '.join(f'{each:g}' for each in points)}"
    if not 0 <= points[0] <= dimension.highest:
        return f"{dimension.label} {points[0]:g} is not between 0 and {dimension.highest}"
    return points[0]
