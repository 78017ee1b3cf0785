"""Frozen parts as files: a flat JSON object each, gzipped without a time, so the same content has the same bytes."""

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Flat = dict[str, Any]


def write(folder: Path, part: str, facts: Flat) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    (folder / f"{part}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def read(folder: Path) -> dict[str, Flat]:
    files = sorted(folder.glob("*.json.gz"))
    return {file.name.removesuffix(".json.gz"): json.loads(gzip.decompress(file.read_bytes())) for file in files}


def flat(value: Any, key: str) -> Flat:
    """The leaves of nested objects and lists, each under the names on its way."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else None
    if pairs is None:
        return {key: value}
    return {name: leaf for at, each in pairs for name, leaf in flat(each, f"{key} {at}").items()}


def differences(before: Flat, now: Flat) -> Iterator[tuple[str, Any, Any]]:
    """(key, before, now) of each leaf that is another; the last digits of numbers hang on the order of additions."""
    for key in sorted({*before, *now}):
        old, new = before.get(key, "—"), now.get(key, "—")
        is_close = type(old) is type(new) is float and math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12)
        if old != new and not is_close:
            yield key, old, new
