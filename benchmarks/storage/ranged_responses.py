"""Serves stored files with HTTP ranges, which browsers need to seek in a video."""

import hashlib
import re
import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from benchmarks.storage.folder import FILE_TIME
from benchmarks.storage.store import store

ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class OutsideFile(ValueError):
    """The requested range lies outside the file."""


def serve_stored(request: HttpRequest, name: str, content_type: str, *, cache: str) -> HttpResponseBase | None:
    """A response with the stored file or the requested range; None if nothing is stored.

    With MEDIA_BY_NGINX the response gives nginx the file's location, and nginx answers with the file or with 404.
    """
    headers = headers_of(name, cache)
    if settings.MEDIA_BY_NGINX and request.method == "GET":
        if _is_held(request, headers):
            return HttpResponse(status=304, headers=headers)
        # A Cache-Control header would be sent with nginx's errors, too.
        where = {"Content-Type": content_type, "X-Accel-Redirect": store().accelerated(name), "X-Clip-Cache": cache}
        return HttpResponse(headers={"ETag": headers["ETag"]} | where)
    if (size := store().size(name)) is None:
        return None
    return _answer(request, size, partial(store().pieces, name), content_type, headers)


def serve_pieces(
    request: HttpRequest, tag: str, size: int, pieces: Callable[[int, int], Iterator[bytes]], kind: str, *, cache: str
) -> HttpResponseBase:
    """Like `serve_stored`, for `size` bytes that are made on demand; `tag` must change with them."""
    headers = {"Accept-Ranges": "bytes", "Cache-Control": cache, "ETag": f'"{tag}"'}
    return _answer(request, size, pieces, kind, headers)


def headers_of(name: str, cache: str) -> dict[str, str]:
    """Caching headers without a modification time, which would reveal the order of the import."""
    tag = hashlib.sha256(name.rpartition("/")[2].encode()).hexdigest()[:20]
    return {"Accept-Ranges": "bytes", "Cache-Control": cache, "ETag": f'"{tag}"'}


def _is_held(request: HttpRequest, headers: dict[str, str]) -> bool:
    return request.headers.get("If-None-Match", "") == headers["ETag"]


def _answer(
    request: HttpRequest, size: int, pieces: Callable[[int, int], Iterator[bytes]], kind: str, headers: dict[str, str]
) -> HttpResponseBase:
    if _is_held(request, headers):
        return HttpResponse(status=304, headers=headers)
    try:
        part = requested_range(request, size, headers["ETag"])
    except OutsideFile:
        return HttpResponse(status=416, headers={**headers, "Content-Range": f"bytes */{size}"})
    start, end = part or (0, size - 1)
    if part:
        headers["Content-Range"] = f"bytes {start}-{end}/{size}"
    headers |= {"Content-Length": str(end - start + 1), "Content-Type": kind}
    status = 206 if part else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers)
    return StreamingHttpResponse(pieces(start, end), status=status, headers=headers)


def requested_range(request: HttpRequest, size: int, tag: str) -> tuple[int, int] | None:
    """First and last requested byte; None for the whole file, and for multiple or malformed ranges."""
    match = ONE_RANGE.fullmatch(request.headers.get("Range", ""))
    if request.method != "GET" or not match or request.headers.get("If-Range", tag) != tag:
        return None
    first, last = match.groups()
    if not first and not last:
        return None
    if not first:  # a suffix range: the last `last` bytes
        start, end = max(0, size - int(last)), size - 1
    else:
        start, end = int(first), min(int(last) if last else size - 1, size - 1)
    if last and first and int(last) < int(first):
        return None
    if start >= size:
        raise OutsideFile
    return start, end


BLOCK = tarfile.BLOCKSIZE

# First and last byte, both included -> the bytes between them.
Reader = Callable[[int, int], Iterator[bytes]]


@dataclass(frozen=True)
class Member:
    """One file of an archive; `size` is in bytes."""

    name: str
    size: int
    read: Reader


def text_member(name: str, content: bytes) -> Member:
    return Member(name, len(content), _bytes_reader(content))


def _bytes_reader(content: bytes) -> Reader:
    def read(start: int, end: int) -> Iterator[bytes]:
        yield content[start : end + 1]

    return read


@dataclass(frozen=True)
class TarStream:
    """An uncompressed archive of these members; the same members always give the same bytes."""

    members: Sequence[Member]

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return sum(size for size, _read in self._segments())

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` to `end`, both included."""
        place = 0
        for size, read in self._segments():
            first, last = max(start - place, 0), min(end - place, size - 1)
            if first <= last:
                yield from read(first, last)
            place += size
            if place > end:
                return

    def _segments(self) -> Iterator[tuple[int, Reader]]:
        """Header, content and padding of every member, then the two empty blocks at the end."""
        for member in self.members:
            header = _header(member)
            yield len(header), _bytes_reader(header)
            yield member.size, member.read
            if padding := -member.size % BLOCK:
                yield padding, _bytes_reader(bytes(padding))
        yield 2 * BLOCK, _bytes_reader(bytes(2 * BLOCK))


def _header(member: Member) -> bytes:
    facts = tarfile.TarInfo(member.name)
    facts.size, facts.mtime, facts.mode = member.size, FILE_TIME, 0o644
    return facts.tobuf(tarfile.GNU_FORMAT)
