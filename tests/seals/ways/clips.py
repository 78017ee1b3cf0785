"""Attacks on media files: headers, sizes, dates, metadata of the container, signed addresses; and on snapshots."""

import re
import struct
from collections.abc import Iterator

from tests.seals.attacker import Answer, Attacker, Target, downloaded
from tests.seals.learning import guesses, with_absent

BOXES = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"udta"}
PRINTABLE = re.compile(rb"[ -~]{5,}")


def files(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the clip of each item whose address is known: headers, length, boxes, words in the container."""
    return guesses(target, features_of(attacker, target))


def features_of(attacker: Attacker, target: Target) -> dict[str, dict[str, object]]:
    """The features of each item's file."""
    addresses = addresses_of(attacker, target)
    files = {item: attacker.member.get(address) for item, address in addresses.items()}
    said = with_absent({item: _words(answer) for item, answer in files.items()}, list(files))
    lasts = {item: attacker.member.get(address, Range="bytes=-1") for item, address in addresses.items()}
    return {item: {**dict(features(files[item], lasts[item])), **said[item]} for item in files}


def features(whole: Answer, last: Answer) -> Iterator[tuple[str, object]]:
    """Headers of the whole file and of its last byte, boxes and words of the container."""
    yield from _headers(whole).items()
    yield from ((f"last {name}", value) for name, value in _headers(last).items())
    yield from _container(whole.body)


def addresses_of(attacker: Attacker, target: Target) -> dict[str, str]:
    """The address of each item's clip, as members read it; it may be signed for them."""
    wanted = set(target.ids) | set(target.known)
    rows = downloaded(attacker.member, target)
    return {row["item"]: row["clip"] for row in rows if row["clip"] and row["item"] in wanted}


def _headers(answer: Answer) -> dict[str, object]:
    found: dict[str, object] = {"status": str(answer.status), "length": len(answer.body)}
    for name in ("content-length", "content-range", "last-modified", "etag", "content-type", "cache-control"):
        value = answer.headers.get(name, "")
        found[name] = int(value) if value.isdigit() else value
        if numbers := re.findall(r"[0-9a-f]{6,}", value):
            found[f"{name} as a number"] = int(numbers[0], 16)
    return found


def _container(body: bytes) -> Iterator[tuple[str, object]]:
    """Sizes of an MP4's boxes, times in its header, and words outside its media data."""
    outside = b""
    for path, content in _boxes(body, ""):
        yield f"size of {path}", len(content)
        if path.endswith("mvhd") and len(content) >= 20:
            created, changed, scale, length = struct.unpack(">4I", content[4:20])
            yield from (("created", created), ("changed", changed), ("seconds", length / (scale or 1)))
        if not path.startswith("/mdat"):
            outside += content
    yield from dict.fromkeys(_words_in(outside), True).items()


def _words(answer: Answer) -> set[str]:
    return {name for name, value in _container(answer.body) if value is True}


def _words_in(outside: bytes) -> Iterator[str]:
    for match in PRINTABLE.findall(outside):
        for word in re.split(r"[^A-Za-z0-9]+", match.decode()):
            yield f"says {word}"


def _boxes(data: bytes, path: str) -> Iterator[tuple[str, bytes]]:
    place = 0
    while place + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[place : place + 8])
        if size < 8 or place + size > len(data):
            return
        name, content = f"{path}/{kind.decode('latin1')}", data[place + 8 : place + size]
        yield name, content
        if kind in BOXES:
            yield from _boxes(content, name)
        place += size


def frozen(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Answers from snapshots of boards, whose files contain every item."""
    found: dict[str, str] = {}
    for snapshot in attacker.visitor.get("/api/v1/snapshots/").json().get("results", []):
        for address in (f"/snapshots/{snapshot['slug']}/file/", f"/snapshots/{snapshot['slug']}/?format=json"):
            for item in attacker.visitor.get(address).json().get("items", []):
                if item.get("id") in target.ids and item.get("expected"):
                    found[item["id"]] = item["expected"]
    return found or None
