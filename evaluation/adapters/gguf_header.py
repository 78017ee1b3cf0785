"""Reads metadata from the header of a GGUF file, without its weights.

The `gguf` package reads them as well, but takes seconds for the list of tokens, and isn't installed everywhere. Format:
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little-endian).
"""

import struct
from collections.abc import Container
from pathlib import Path
from typing import Any, BinaryIO

MAGIC, VERSIONS = b"GGUF", (2, 3)
NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9
LONGEST = 1 << 24  # bytes of a text, far above any chat template


def header_of(file: Path, wanted: Container[str]) -> dict[str, Any]:
    """The wanted metadata by key; {} if the file is no GGUF file or is truncated."""
    try:
        with file.open("rb") as stream:
            return _facts(stream, wanted)
    except (OSError, ValueError, OverflowError, RecursionError, struct.error):
        return {}


def _facts(stream: BinaryIO, wanted: Container[str]) -> dict[str, Any]:
    if stream.read(4) != MAGIC or _number(stream, 4) not in VERSIONS:
        raise ValueError("no GGUF file of a known version")
    _tensors, count = _number(stream, 10), _number(stream, 10)
    found = {}
    for _ in range(count):
        key, kind = _text(stream), _number(stream, 4)
        value = _value(stream, kind, is_wanted=key in wanted)
        if key in wanted:
            found[key] = value
    return found


def _value(stream: BinaryIO, kind: int, *, is_wanted: bool) -> Any:
    if kind == STRING:
        return _text(stream)
    if kind != ARRAY:
        return _number(stream, kind)
    kind, count = _number(stream, 4), _number(stream, 10)
    if is_wanted or kind in (STRING, ARRAY):
        return [_value(stream, kind, is_wanted=is_wanted) for _ in range(count)]
    stream.seek(count * struct.calcsize(_form(kind)), 1)
    return None


def _number(stream: BinaryIO, kind: int) -> Any:
    form = _form(kind)
    return struct.unpack(form, stream.read(struct.calcsize(form)))[0]


def _form(kind: int) -> str:
    if kind not in NUMBERS:
        raise ValueError(f"unknown type {kind}")
    return NUMBERS[kind]


def _text(stream: BinaryIO) -> str:
    length = _number(stream, 10)
    if length > LONGEST:
        raise ValueError(f"a text of {length} bytes")
    return stream.read(length).decode("utf-8", "replace")
