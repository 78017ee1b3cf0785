"""Scores that a referee writes as JSON or draws as a table, and the reply without them."""

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from evaluation.refereeing.finding import Finding, named, number_alone, plain
from evaluation.refereeing.rubrics import Dimension

Dimensions = tuple[Dimension, ...]
START = re.compile(r"\{\s*\"|\[\s*\{")
MOST_BLOCKS, DEEPEST = 5, 6
NAMING = ("dimension", "criterion", "category", "metric", "name")  # keys whose value may name a dimension
SCORING = ("score", "value", "rating", "points")
RULE = frozenset("|:+- \t")  # what the line below a table's head is made of


class Pairs(list):
    """An object of JSON in its order, keys that come twice included."""


DECODER = json.JSONDecoder(object_pairs_hook=Pairs)


def in_json(text: str, dimensions: Dimensions) -> tuple[list[Finding], str]:
    """What objects of JSON in the reply give, and the reply without them; a broken one stays prose."""
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
        given = list(_walk(block, dimensions, DEEPEST))
        found += given
        place = start.end() if not given else start.start()
        text = text[: start.start()] + "\n" + text[end:] if given else text
    return found, text


def _walk(block: Any, dimensions: Dimensions, depth: int) -> Iterator[Finding]:
    if not isinstance(block, list) or not depth:
        return
    if not isinstance(block, Pairs):
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


def _dimension_named(block: Pairs, dimensions: Dimensions) -> Dimension | None:
    """Of {"dimension": "Accuracy", "score": 4}."""
    names = [value for key, value in block if plain(key) in NAMING and isinstance(value, str)]
    return named(names[0], dimensions) if len(names) == 1 else None


def _finding(value: Any, dimension: Dimension) -> Finding:
    return Finding(dimension, _points(value, dimension), json.dumps(value)[:60])


def _points(value: Any, dimension: Dimension) -> float | None:
    """A number, a text that is one, or the one score of an object; True is none."""
    if isinstance(value, Pairs):
        scores = [each for key, each in value if plain(key) in SCORING]
        return _points(scores[0], dimension) if len(scores) == 1 and not isinstance(scores[0], Pairs) else None
    if isinstance(value, list):
        return _points(value[0], dimension) if len(value) == 1 and not isinstance(value[0], list) else None
    if isinstance(value, str):
        return number_alone(value, dimension)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e6 and isfinite(value) else None


def in_tables(text: str, dimensions: Dimensions) -> tuple[list[Finding], str]:
    """What Markdown tables give, a row or a column a dimension, and the reply without them."""
    if "|" not in text:
        return [], text
    found, rest, table = [], [], []
    for line in [*text.split("\n"), ""]:
        if line.strip().startswith("|"):
            table.append(line)
            continue
        if table:
            given = list(_of_table([_cells(row) for row in table if not set(row) <= RULE], dimensions))
            found += given
            rest += [] if given else table
            table = []
        rest.append(line)
    return found, "\n".join(rest)


def _cells(line: str) -> list[str]:
    return [cell.strip(" *_`") for cell in line.strip().strip("|").split("|")]


def _of_table(rows: list[list[str]], dimensions: Dimensions) -> Iterator[Finding]:
    heads = [named(cell, dimensions) for cell in rows[0]] if rows else []
    if sum(head is not None for head in heads) > 1:
        yield from _by_column(heads, rows[1:])
        return
    column = next((place for place, cell in enumerate(rows[0] if rows else ()) if plain(cell) in SCORING), None)
    for row in rows:
        if dimension := named(row[0], dimensions):
            yield _of_row(row[1:], dimension, None if column is None else column - 1)


def _by_column(heads: list[Dimension | None], rows: list[list[str]]) -> Iterator[Finding]:
    for place, dimension in enumerate(heads):
        for row in rows:
            cell = row[place] if dimension and place < len(row) else ""
            if dimension and cell:
                yield Finding(dimension, number_alone(cell, dimension), cell[:60])


def _of_row(cells: list[str], dimension: Dimension, column: int | None) -> Finding:
    """The cell below `score`, or the only one that is a number."""
    if column is not None and 0 <= column < len(cells):
        return Finding(dimension, number_alone(cells[column], dimension), cells[column][:60])
    numbers = [points for cell in cells if (points := number_alone(cell, dimension)) is not None]
    return Finding(dimension, numbers[0] if len(numbers) == 1 else None, " | ".join(cells)[:60])
