"""From uploaded bytes to numbered lines of text: plain, .gz or .zip of one file, within limits."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, cast

from evaluation.submissions.problems import Problem, Unreadable

MEGABYTE = 1024 * 1024
UPLOAD_BYTES = 64 * MEGABYTE
UNPACKED_BYTES = 512 * MEGABYTE
RATIO = 200  # text of answers packs 5 to 40 times; a bomb a thousand times
LINE_BYTES = 64 * 1024
LINES = 3_000_000  # a file of empty lines would keep us busy for minutes
DIRECTORY_BYTES = 4096  # of a .zip: one member needs less than this

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
END, END_64, END_SIZE, COMMENT_SIZE = b"PK\x05\x06", b"PK\x06\x07", 22, 65535
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, ValueError, struct.error)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the unpacked file, without its line end."""

    number: int
    text: str


def size_of(file: IO[bytes]) -> int:
    """Bytes of the upload; leaves the file at its beginning."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


def text_lines(file: IO[bytes]) -> Iterator[Line | Problem]:
    """Yield each line, or what is wrong with it; `Unreadable` where reading can't go on."""
    size = size_of(file)
    if size == 0:
        raise Unreadable("empty", "the file is empty")
    if size > UPLOAD_BYTES:
        raise Unreadable("too-big", f"the file has {size:,} bytes; an upload may have {UPLOAD_BYTES:,}")
    start = file.read(4)
    file.seek(0)
    try:
        yield from _numbered(_unpacked(file, start), allowance=min(UNPACKED_BYTES, max(size * RATIO, MEGABYTE)))
    except BROKEN as error:
        if not start.startswith((GZIP, ZIP, END)):
            raise
        raise Unreadable(
            "broken-archive", "the archive is damaged or incomplete: pack it and upload it again"
        ) from error


def _unpacked(file: IO[bytes], start: bytes) -> IO[bytes]:
    if start.startswith(GZIP):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if start.startswith((ZIP, END)):
        return _only_member(file)
    return file


def _only_member(file: IO[bytes]) -> IO[bytes]:
    """The one file of a .zip; what its directory claims is checked before it is read."""
    _check_directory(file)
    archive = zipfile.ZipFile(file)
    members = archive.infolist()
    if len(members) != 1:
        raise Unreadable("archive-members", f"the archive holds {len(members)} files: pack exactly one")
    member = members[0]
    is_link = (member.external_attr >> 28) == 0xA
    if is_link or member.is_dir() or set("/\\:") & set(member.orig_filename) or ".." in member.orig_filename:
        raise Unreadable("archive-path", "the archive must hold one plain file, not in a folder and not a link")
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Unreadable("broken-archive", "the archive is locked or packed in an unusual way: use plain .zip or .gz")
    return archive.open(member)


def _check_directory(file: IO[bytes]) -> None:
    """Refuse a directory of many members before `zipfile` reads all of it into memory."""
    tail_size = min(size_of(file), END_SIZE + COMMENT_SIZE)
    file.seek(-tail_size, io.SEEK_END)
    tail = file.read()
    file.seek(0)
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < END_SIZE:
        raise zipfile.BadZipFile
    count, length = struct.unpack("<HL", tail[at + 10 : at + 16])
    if count != 1 or length > DIRECTORY_BYTES or END_64 in tail[max(0, at - 64) : at]:
        raise Unreadable("archive-members", f"the archive holds {count} files: pack exactly one")


def _numbered(stream: IO[bytes], *, allowance: int) -> Iterator[Line | Problem]:
    number, taken = 0, 0
    while raw := stream.readline(LINE_BYTES + 1):
        number += 1
        taken += len(raw)
        if number == 1:
            _check_kind(raw)
        if len(raw) > LINE_BYTES:
            taken += _skip_line(stream, raw, allowance - taken)
            yield Problem("line-too-long", f"the line is longer than {LINE_BYTES:,} bytes", number)
        else:
            yield _line(number, raw)
        if number > LINES:
            raise Unreadable("too-many", f"the file has more than {LINES:,} lines", line=number)
        if taken > allowance:
            raise Unreadable("too-much-inside", f"unpacked, the file has more than {allowance:,} bytes", line=number)


def _skip_line(stream: IO[bytes], raw: bytes, allowance: int) -> int:
    """Read to the end of an overlong line, or until the allowance is used up; gives the bytes read."""
    taken = 0
    while raw and not raw.endswith(b"\n") and taken <= allowance:
        raw = stream.readline(LINE_BYTES)
        taken += len(raw)
    return taken


def _check_kind(raw: bytes) -> None:
    """Look at the first line: what is no text at all gets one sentence and not a thousand."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("encoding", "the file is UTF-16: save it as UTF-8", line=1)
    if b"\x00" in raw or raw.startswith((b"%PDF", b"\x89PNG", b"\xff\xd8", ZIP, GZIP)):
        raise Unreadable("not-text", "the file is not text: upload JSON Lines or CSV, plain, .gz or .zip", line=1)
    if raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<":
        raise Unreadable("web-page", "the file is a web page, not a file of answers", line=1)


def _line(number: int, raw: bytes) -> Line | Problem:
    if number == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")  # what Windows programs put before UTF-8
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem("encoding", f"byte {error.start + 1} of the line is not UTF-8", number)
    if "\x00" in text:
        return Problem("encoding", "the line holds a NUL character", number)
    return Line(number, text.removesuffix("\n").removesuffix("\r"))
