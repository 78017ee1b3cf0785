"""Serving a file in parts: what a browser needs to seek in a video."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

CHUNK = 64 * 1024
ONE_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


class OutsideFile(ValueError):
    """The range asked for holds no byte of the file."""


def serve_ranged(request: HttpRequest, path: Path, content_type: str, *, cache: str) -> HttpResponseBase:
    """The file, or the one range asked for. Never says when it was written: that would tell the order of an import."""
    size = path.stat().st_size
    tag = f'"{hashlib.sha256(path.name.encode()).hexdigest()[:20]}"'
    headers = {"Accept-Ranges": "bytes", "Cache-Control": cache, "ETag": tag}
    if request.headers.get("If-None-Match", "") == tag:
        return HttpResponse(status=304, headers=headers)
    try:
        part = asked_range(request, size, tag)
    except OutsideFile:
        return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    start, end = part or (0, size - 1)
    if part:
        headers["Content-Range"] = f"bytes {start}-{end}/{size}"
    headers |= {"Content-Length": str(end - start + 1), "Content-Type": content_type}
    status = 206 if part else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    return StreamingHttpResponse(pieces(path, start, end), status=status, headers=headers)


def asked_range(request: HttpRequest, size: int, tag: str) -> tuple[int, int] | None:
    """First and last byte asked for; None for the whole file, which also answers several ranges and odd ones."""
    match = ONE_RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if request.method != "GET" or not match or request.headers.get("If-Range", tag) != tag:
        return None
    first, last = match.groups()
    if not first and not last:
        return None
    if not first:  # the last so many bytes
        start, end = max(0, size - int(last)), size - 1
    else:
        start, end = int(first), min(int(last) if last else size - 1, size - 1)
    if last and first and int(last) < int(first):
        return None
    if start >= size or (not first and int(last) == 0):
        raise OutsideFile
    return start, end


def pieces(path: Path, start: int, end: int) -> Iterator[bytes]:
    """The bytes from start to end, both included, without holding them all."""
    with path.open("rb") as file:
        file.seek(start)
        left = end - start + 1
        while left > 0 and (piece := file.read(min(CHUNK, left))):
            left -= len(piece)
            yield piece
