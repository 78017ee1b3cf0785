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
from collections.abc import Callable, Iterator
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


def with_header(lines: bytes) -> bytes:
    return json.dumps(HEADER).encode() + b"\n" + lines[: MEGABYTE - 200]


def good(items: int) -> bytes:
    """A valid file: every item with as many seeds as a megabyte holds."""
    row = b'{"item":"i%011d","reply":"Yes, it is.","seed":%d}\n'
    return with_header(b"".join(row % (number, seed) for seed in range(16) for number in range(items)))


def shapes(items: int) -> Iterator[tuple[str, bytes]]:
    """Yield (name, file as sent)."""
    yield "good", good(items)
    yield "good-gzip", gzip.compress(good(items))
    yield "blank-lines", with_header(b"\n" * MEGABYTE)
    yield "blank-lines-gzip", gzip.compress(with_header(b"\n" * MEGABYTE))
    yield "spaces", with_header(b" \n" * MEGABYTE)
    yield "tiny-lines", with_header(b"x\n" * MEGABYTE)
    yield "empty-objects", with_header(b"{}\n" * MEGABYTE)
    yield "one-long-line", with_header(b"x" * MEGABYTE)
    yield "long-lines", with_header((b"x" * 65_000 + b"\n") * 17)
    yield "deep-json", with_header((b"[" * 30_000 + b"\n") * 40)
    yield "many-names", with_header((b"{" + b",".join(b'"%d":1' % n for n in range(6000)) + b"}\n") * 20)
    yield "repeated-names", with_header((b"{" + b'"item":1,' * 6000 + b'"item":1}\n') * 20)
    yield "long-numbers", with_header((b'{"item":' + b"9" * 60_000 + b"}\n") * 18)
    yield "unknown-items", with_header(b'{"item":"nobody","answer":"yes"}\n' * 40_000)
    yield "duplicates", with_header(b'{"item":"i00000000001","answer":"yes"}\n' * 40_000)
    yield "no-options", with_header(b"".join(b'{"item":"i%011d","answer":"perhaps"}\n' % n for n in range(items)) * 99)
    yield "odd-bytes", with_header(b"\xff\n" * MEGABYTE)
    yield "escapes", with_header((b'{"item":"' + b"\\u0041" * 5000 + b'","answer":"yes"}\n') * 30)
    yield (
        "long-replies",
        with_header(
            b"".join(b'{"item":"i%011d","reply":"%s"}\n' % (n, b"perhaps yes, no " * 125) for n in range(items))
        ),
    )
    yield "table-of-commas", b"item,answer\n" + (b"," * 60_000 + b"\n") * 17
    yield "table-of-quotes", b"item,answer\n" + b'"\n' * (MEGABYTE // 2 - 50)
    yield "bomb-gzip", gzip.compress(b"\n" * 60_000_000)
    yield "zip-of-many", zip_of({f"{n}.jsonl": b"\n" * 10_000 for n in range(100)})


def zip_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


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
        for shape, content in shapes(items):
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
