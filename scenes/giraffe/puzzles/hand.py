"""The hundred hand-made patterns: their pictures and texts as written, drawn like all others.

`data/hand.txt` has a block for each: its name and what changes, then lines that start with P (the pattern), N (what
comes next), = (the pictures, separated by bars), > (the next one) and x (a wrong one and, after a colon, why).
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from scenes.giraffe.notation import read_picture
from scenes.giraffe.puzzle import CHANGES, WRONG, NearMiss, Picture, Puzzle

FILE = Path(__file__).parents[1] / "data" / "hand.txt"
FEWEST, MOST = 3, 5  # images


class BadComposition(ValueError):
    """The message names the block, the line and the fault."""


@cache
def compositions() -> Mapping[str, Puzzle]:
    """The patterns of `data/hand.txt` by name, in the order of the file."""
    return read_compositions(FILE.read_text(encoding="utf-8"))


def read_compositions(text: str) -> dict[str, Puzzle]:
    found: dict[str, Puzzle] = {}
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line.strip() and not line.startswith("#")]
        if not lines:
            continue
        name, puzzle = _composition(lines)
        if name in found:
            raise BadComposition(f"{name}: there are two of this name")
        found[name] = puzzle
    return found


def _composition(lines: list[str]) -> tuple[str, Puzzle]:
    """Name and puzzle of a block."""
    name, _, changes = lines[0].partition("|")
    name, changes_named = name.strip(), tuple(changes.split())
    if not changes_named or set(changes_named) - set(CHANGES):
        raise BadComposition(f"{name}: what changes must be among {', '.join(CHANGES)}, and is {changes.strip()!r}")
    by_letter: dict[str, list[str]] = {letter: [] for letter in "PN=>x"}
    for line in lines[1:]:
        if line[0] not in by_letter or line[1:2] != " ":
            raise BadComposition(f"{name}: {line!r} begins with none of P, N, =, > and x")
        by_letter[line[0]].append(line[2:].strip())
    return name, _puzzle(name, changes_named, by_letter)


def _puzzle(name: str, changes: tuple[str, ...], names: Mapping[str, list[str]]) -> Puzzle:
    """The puzzle of these lines; raises BadComposition unless there is one of each and three different wrong
    pictures."""
    for letter, what in (("P", "pattern"), ("N", "pred"), ("=", "line of pictures"), (">", "next picture")):
        if len(names[letter]) != 1:
            raise BadComposition(f"{name}: {len(names[letter])} times a {what}, there must be one")
    images = [_read(name, part) for part in names["="][0].split("|")]
    if not FEWEST <= len(images) <= MOST:
        raise BadComposition(f"{name}: {len(images)} pictures, there must be {FEWEST} to {MOST}")
    following = _read(name, names[">"][0])
    wrong = [line.partition(" : ")[::2] for line in names["x"]]
    near_misses = tuple(NearMiss(_read(name, one), what.strip()) for one, what in wrong)
    if len(near_misses) != WRONG or len({following, *(one.picture for one in near_misses)}) != WRONG + 1:
        raise BadComposition(f"{name}: there must be {WRONG} wrong pictures, unlike the next one and each other")
    return Puzzle(changes, tuple(images), following, near_misses, names["P"][0], names["N"][0])


def _read(name: str, text: str) -> Picture:
    try:
        return read_picture(text)
    except ValueError as error:
        raise BadComposition(f"{name}: {error}") from None
