"""Cost of checking an upload in the web process by the shape of the file, compared with plain `json.loads`.

`python -m bench.submissions.lint_shapes [ITEMS]` prints a JSON object for each shape: processor seconds until the site
has checked the file or left it to a worker (`where`), seconds of `json.loads` over the lines of its first megabyte,
and the ratio. Every file is at most a megabyte as sent; the SQLite database is in a temporary folder.
"""

import gzip
import io
import json
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.submissions.large_upload import fill, set_up

MEGABYTE = 1024 * 1024
ITEMS = 500
HEADER = {
    "benchmark": "grasp",
    "pack": "large",
    "model": "Shapes",
    "strategy": "binary",
    "condition": "video",
    "split": "all",
}
LONG_REPLY = b'{"item":"i%011d","reply":"' + b"perhaps yes, no " * 125 + b'"}\n'


def with_header(lines: bytes) -> bytes:
    return json.dumps(HEADER).encode() + b"\n" + lines[: MEGABYTE - 200]


def good(items: int) -> bytes:
    """A valid file: every item with as many seeds as a megabyte holds."""
    row = b'{"item":"i%011d","reply":"Yes, it is.","seed":%d}\n'
    return with_header(b"".join(row % (number, seed) for seed in range(16) for number in range(items)))


def zip_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


# What is sent, by the number of items in the pack.
SHAPES: dict[str, Callable[[int], bytes]] = {
    "good": good,
    "good-gzip": lambda items: gzip.compress(good(items)),
    "blank-lines": lambda _: with_header(b"\n" * MEGABYTE),
    "blank-lines-gzip": lambda _: gzip.compress(with_header(b"\n" * MEGABYTE)),
    "spaces": lambda _: with_header(b" \n" * MEGABYTE),
    "tiny-lines": lambda _: with_header(b"x\n" * MEGABYTE),
    "empty-objects": lambda _: with_header(b"{}\n" * MEGABYTE),
    "one-long-line": lambda _: with_header(b"x" * MEGABYTE),
    "long-lines": lambda _: with_header((b"x" * 65_000 + b"\n") * 17),
    "deep-json": lambda _: with_header((b"[" * 30_000 + b"\n") * 40),
    "many-names": lambda _: with_header((b"{" + b",".join(b'"%d":1' % n for n in range(6000)) + b"}\n") * 20),
    "repeated-names": lambda _: with_header((b"{" + b'"item":1,' * 6000 + b'"item":1}\n') * 20),
    "long-numbers": lambda _: with_header((b'{"item":' + b"9" * 60_000 + b"}\n") * 18),
    "unknown-items": lambda _: with_header(b'{"item":"nobody","answer":"yes"}\n' * 40_000),
    "duplicates": lambda _: with_header(b'{"item":"i00000000001","answer":"yes"}\n' * 40_000),
    "no-options": lambda items: with_header(
        b"".join(b'{"item":"i%011d","answer":"perhaps"}\n' % n for n in range(items)) * 99
    ),
    "odd-bytes": lambda _: with_header(b"\xff\n" * MEGABYTE),
    "escapes": lambda _: with_header((b'{"item":"' + b"\\u0041" * 5000 + b'","answer":"yes"}\n') * 30),
    "long-replies": lambda items: with_header(b"".join(LONG_REPLY % n for n in range(items))),
    "table-of-commas": lambda _: b"item,answer\n" + (b"," * 60_000 + b"\n") * 17,
    "table-of-quotes": lambda _: b"item,answer\n" + b'"\n' * (MEGABYTE // 2 - 50),
    "bomb-gzip": lambda _: gzip.compress(b"\n" * 60_000_000),
    "zip-of-many": lambda _: zip_of({f"{n}.jsonl": b"\n" * 10_000 for n in range(100)}),
}


def unpacked(content: bytes) -> bytes:
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    return content


def plainly(content: bytes) -> None:
    """The baseline: `json.loads` of every line that is valid JSON."""
    for line in content.splitlines():
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            continue


def seconds_of(act: Callable[[], object], times: int = 3) -> float:
    """The least processor time of a few calls."""
    found = []
    for _ in range(times):
        began = time.process_time()
        act()
        found.append(time.process_time() - began)
    return min(found)


def where(content: bytes) -> str:
    """Whether the web process checks the file itself or leaves it to a worker."""
    from evaluation.submissions.lint.check import lint
    from evaluation.submissions.store.upload_queue import is_checked_at_once

    if not is_checked_at_once(io.BytesIO(content), HEADER):
        return "beside"
    lint(io.BytesIO(content), HEADER if content.startswith(b"item,") else None)
    return "at once"


def row_of(shape: str, content: bytes, items: int) -> dict[str, object]:
    raw = unpacked(content)
    return {
        "what": shape,
        "items": items,
        "sent": len(content),
        "bytes": len(raw),
        "lines": raw.count(b"\n"),
        "where": where(content),
    }


def main(items: int = ITEMS) -> int:
    with tempfile.TemporaryDirectory() as name:
        set_up(Path(name))
        fill(items)
        for shape, make in SHAPES.items():
            content = make(items)
            raw = unpacked(content)[:MEGABYTE]
            spent = seconds_of(partial(where, content))
            peer = seconds_of(partial(plainly, raw), times=1)
            print(
                json.dumps(
                    row_of(shape, content, items)
                    | {
                        "seconds": round(spent, 4),
                        "json_loads_seconds": round(peer, 4),
                        "ratio": round(spent / peer, 2) if peer else None,
                    }
                ),
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
