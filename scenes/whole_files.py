"""Files that stand under their name only when they are whole."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

READABLE: dict[str, Any] = {"ensure_ascii": False, "indent": 1}  # for files that people open too


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write meanwhile, in the same folder; takes the name when the block ends, and goes when it fails."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, content: Any, **how: Any) -> None:
    """The content as JSON, UTF-8; `how` is what `json.dumps` takes."""
    with whole(path) as temporary:
        temporary.write_text(json.dumps(content, **how), encoding="utf-8")
