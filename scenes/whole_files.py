"""Writes files that get their names only when they are complete."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

READABLE: dict[str, Any] = {"ensure_ascii": False, "indent": 1}  # for files that people read too


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the same folder; rename it to `path` when the block ends, delete it if the block
    fails."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def facts_made_with(path: Path, wanted: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of this JSON file if it states these settings; None if it is missing, broken or states others."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_so = isinstance(facts, dict) and all(facts.get(name) == value for name, value in wanted.items())
    return facts if is_so else None


def write_json(path: Path, content: Any, **how: Any) -> None:
    """Write the content as UTF-8 JSON; `how` goes to `json.dumps`."""
    with whole(path) as temporary:
        temporary.write_text(json.dumps(content, **how), encoding="utf-8")
