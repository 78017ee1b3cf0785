"""True and false statements of Level 1 by the official rules, drawn with a fixed seed, since the release has none."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from pathlib import Path

from benchmarks.errors import BadRelease

COLOURS = ("red", "green", "blue", "black", "yellow", "purple", "white")
OBJECTS = frozenset(f"{colour} {shape}" for colour, shape in product(COLOURS, ("ball", "cube")))
BYTE_ORDER_MARK, SHOWN = "\ufeff", 80
SEED = 2024  # part of definition version 1.0: another seed gives other questions


def draw(count: int, *, key: str, why: str, seed: int = SEED) -> int:
    """A number below `count` that is constant for this key and purpose."""
    digest = hashlib.sha256(f"{seed}/{why}/{key}".encode()).digest()
    return int.from_bytes(digest) % count


def other_label(label: str, labels: Sequence[str], key: str) -> str:
    """The false statement of a labelled clip: any other label of the test."""
    others = [other for other in labels if other != label]
    return others[draw(len(others), key=key, why="negative")]


def ordering_text(path: Path, where: str) -> str:
    """The text beside an ordering clip; BadRelease if it is missing or not UTF-8."""
    if not path.is_file():
        other = next((near.name for near in path.parent.iterdir() if near.name.lower() == path.name), "")
        hint = f" ({other} is there: it must be called {path.name})" if other and other != path.name else ""
        raise BadRelease(f"{where} is missing: an ordering clip needs the text that names its objects{hint}")
    content = path.read_bytes()
    if b"\0" in content or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadRelease(f"{where}: is UTF-16 or no text; it must be UTF-8")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        found = content[error.start]
        raise BadRelease(f"{where}: byte {error.start + 1} (0x{found:02x}) is not UTF-8") from None


def order_of(text: str, objects: int, where: str) -> str:
    """The objects from left to right: the last `objects` names of a comma-separated list, which may end in a comma."""
    names = _names_in(text)
    if len(names) < objects or not all(names[-objects:]):
        count = len([name for name in names if name])
        raise BadRelease(f"{where}: names {count} of {objects} objects: {text[:SHOWN]!r}")
    return ",".join(names[-objects:])


def oddities_of(text: str, objects: int) -> Iterator[str]:
    """Oddities of a readable text, and how each was interpreted."""
    names = _names_in(text)
    if text.startswith(BYTE_ORDER_MARK):
        yield "begins with a byte-order mark, which is left out"
    if any(
        name != " ".join(name.split()) for name in text.lstrip(BYTE_ORDER_MARK).split("\n")[0].rstrip("\r").split(",")
    ):
        yield "has blanks beside its commas, which are left out"
    if len(names) > objects:
        yield f"names {len(names)} objects; the last {objects} are taken"
    if unknown := [name for name in names[-objects:] if name not in OBJECTS]:
        yield f"names {', '.join(map(repr, unknown))}, which GRASP does not show; asked as written"
    if len(set(names[-objects:])) < objects:
        yield "names one object twice"


def _names_in(text: str) -> list[str]:
    line = text.removeprefix(BYTE_ORDER_MARK).strip().partition("\n")[0].strip().removesuffix(",")
    return [" ".join(name.split()) for name in line.split(",")] if line else []


def other_order(order: str, key: str, where: str) -> str:
    """The false statement of an ordering: the same names in any other order."""
    names = tuple(order.split(","))
    others = [other for other in permutations(names) if other != names]
    if not others:
        raise BadRelease(f"{where}: all objects have the same name, so no order of them is false")
    return ",".join(others[draw(len(others), key=key, why="negative")])
