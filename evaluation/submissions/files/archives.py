"""Reads an upload (plain, .gz, or .zip of a file or results folder) as numbered lines of text, within limits."""

import copy
import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, NamedTuple, cast

from zstandard import ZstdDecompressor, ZstdError

from benchmarks.definitions.files.table_text import LONGEST_CELL
from benchmarks.definitions.release_bounds import is_litter
from benchmarks.policy import LIMITS, MEGABYTE
from evaluation.submissions.files.problems import Problem, Unreadable

UPLOAD_BYTES = LIMITS["upload"].most
UNPACKED_BYTES = LIMITS["upload unpacked"].most
RATIO = 200  # answers compress 5 to 40 times, a zip bomb 1,000 times
LINE_BYTES = LONGEST_CELL
LINES = LIMITS["upload lines"].most  # a file of empty lines would otherwise take minutes to read
DOCUMENT_BYTES = LIMITS["upload document"].most  # of one JSON document, which is read completely
MEMBERS = LIMITS["upload files"].most  # files of a .zip: an inspect log has one per sample
DIRECTORY_BYTES = LIMITS["upload list of files"].most  # of a .zip: MEMBERS files need less
HEAD_BYTES = 4096

BLANK = (b"\n", b"\r\n")
UTF8_MARK = b"\xef\xbb\xbf"  # the byte order mark that Windows programs put before UTF-8

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
END, END_64, END_SIZE, COMMENT_SIZE = b"PK\x05\x06", b"PK\x06\x07", 22, 65535
PATHS = "the archive must hold one plain file, or the files of a results folder: no links, no other paths"
# `zipfile` raises RuntimeError for encrypted files and its subclass NotImplementedError for unknown versions.
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, ValueError, struct.error, RuntimeError, ZstdError)
ZIP_ZSTD = 93  # the compression of inspect logs; Python's own module supports it from 3.14 on
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZIP_ZSTD)
WINDOW_BYTES = 8 * MEGABYTE  # zstd's usual levels need no more


class NumberedLine(NamedTuple):
    """One line of the unpacked file, without its line end."""

    number: int
    text: str


def size_of(file: IO[bytes]) -> int:
    """The size of the upload in bytes; leaves the file at its beginning."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


@dataclass
class Allowance:
    """Limits the total bytes unpacked from all files of an upload."""

    limit: int
    taken: int = 0

    def take(self, count: int, *, line: int | None = None) -> None:
        self.taken += count
        if self.taken > self.limit:
            raise Unreadable("too-much-inside", f"unpacked, the file has more than {self.limit:,} bytes", line=line)


@dataclass(frozen=True)
class UploadedFile:
    """One file of an upload: the upload itself, or a member of an archive with its `name` there."""

    name: str
    open: Callable[[], IO[bytes]]
    allowance: Allowance
    is_packed: bool = True

    def begins(self) -> str:
        """The first characters, for recognising formats; bytes that are not UTF-8 are replaced."""
        with self._whole():
            return self.open().read(HEAD_BYTES).removeprefix(UTF8_MARK).decode("utf-8", "replace")

    def content(self) -> Iterator[bytes]:
        """Yield the bytes of the file; raises Unreadable if they can't be unpacked."""
        with self._whole():
            stream = self.open()
            while chunk := stream.read(MEGABYTE):
                self.allowance.take(len(chunk))
                yield chunk

    def lines(self) -> Iterator[NumberedLine | Problem]:
        """Yield each line or its problem; raises Unreadable if reading can't continue."""
        with self._whole():
            yield from _numbered(self.open(), self.allowance)

    def text(self) -> str:
        """The whole text, for formats that are one JSON document."""
        with self._whole():
            raw = self.open().read(DOCUMENT_BYTES + 1)
        self.allowance.take(len(raw))
        if len(raw) > DOCUMENT_BYTES:
            raise Unreadable("too-much-inside", f"the document has more than {DOCUMENT_BYTES:,} bytes")
        try:
            return raw.removeprefix(UTF8_MARK).decode("utf-8")
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise Unreadable("encoding", f"byte {error.start + 1} of the file is not UTF-8", line=line) from error

    @contextmanager
    def _whole(self) -> Iterator[None]:
        try:
            yield
        except BROKEN as error:
            if not self.is_packed:
                raise
            raise _broken() from error


def parts_of(file: IO[bytes]) -> list[UploadedFile]:
    """The files of the upload: the plain file, the content of a .gz, or the members of a .zip sorted by name."""
    size = size_of(file)
    if size == 0:
        raise Unreadable("empty", "the file is empty")
    if size > UPLOAD_BYTES:
        raise Unreadable("too-big", f"the file has {size:,} bytes; an upload may have {UPLOAD_BYTES:,}")
    allowance = Allowance(min(UNPACKED_BYTES, max(size * RATIO, MEGABYTE)))
    start = from_start(file).read(4)
    if start.startswith(GZIP):
        unpacked = lambda: cast(IO[bytes], gzip.GzipFile(fileobj=from_start(file)))  # noqa: E731
        return [UploadedFile("", unpacked, allowance)]
    if start.startswith((ZIP, END)):
        try:
            return _members(file, allowance)
        except BROKEN as error:
            raise _broken() from error
    return [UploadedFile("", lambda: from_start(file), allowance, is_packed=False)]


def only(parts: Sequence[UploadedFile]) -> UploadedFile:
    """The only file of an upload; raises Unreadable if there are several."""
    if len(parts) != 1:
        raise Unreadable("archive-members", f"the archive holds {len(parts)} files: pack exactly one")
    if "/" in parts[0].name:
        raise Unreadable("archive-path", PATHS)
    return parts[0]


def from_start(file: IO[bytes]) -> IO[bytes]:
    file.seek(0)
    return file


def _broken() -> Unreadable:
    return Unreadable("broken-archive", "the archive is damaged or incomplete: pack it and upload it again")


def _members(file: IO[bytes], allowance: Allowance) -> list[UploadedFile]:
    """The files of a .zip; its directory is checked before any file is read."""
    _check_directory(file)
    archive = zipfile.ZipFile(file)
    members = archive.infolist()
    for member in members:
        _check_member(member)
    files = [member for member in members if not member.is_dir() and not is_litter(member.filename)]
    if members and not files:
        raise Unreadable("archive-path", PATHS)
    return [
        UploadedFile(member.filename, partial(_opened, archive, member), allowance)
        for member in sorted(files, key=lambda member: member.filename)
    ]


def _opened(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    if member.compress_type != ZIP_ZSTD:
        return archive.open(member)
    packed = copy.copy(member)  # its packed bytes as stored: their number is known, their checksum is not
    packed.compress_type, packed.file_size, packed.CRC = zipfile.ZIP_STORED, member.compress_size, None  # type: ignore[assignment]
    unpacked = ZstdDecompressor(max_window_size=WINDOW_BYTES).stream_reader(
        archive.open(packed), read_across_frames=True
    )
    return io.BufferedReader(cast(io.RawIOBase, unpacked))


def _check_member(member: zipfile.ZipInfo) -> None:
    name = member.orig_filename
    is_link = (member.external_attr >> 28) == 0xA
    if is_link or name.startswith("/") or set("\\:") & set(name) or ".." in name:
        raise Unreadable("archive-path", PATHS)
    if member.flag_bits & 1 or member.compress_type not in PACKED:
        raise Unreadable("broken-archive", "the archive is locked or packed in an unusual way: use plain .zip or .gz")


def _check_directory(file: IO[bytes]) -> None:
    """Refuse a .zip of many members before `zipfile` reads its whole directory into memory."""
    file.seek(max(0, size_of(file) - END_SIZE - COMMENT_SIZE))
    tail = file.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < END_SIZE:
        raise zipfile.BadZipFile
    count, length = struct.unpack("<HL", tail[at + 10 : at + 16])
    if not 0 < count <= MEMBERS or length > DIRECTORY_BYTES or END_64 in tail[max(0, at - 64) : at]:
        raise Unreadable("archive-members", f"the archive holds {count} files: pack exactly one, or one results folder")


def _numbered(stream: IO[bytes], allowance: Allowance) -> Iterator[NumberedLine | Problem]:
    number = 0
    while raw := stream.readline(LINE_BYTES + 1):
        number += 1
        if number == 1:
            _check_kind(raw)
            raw = raw.removeprefix(UTF8_MARK)
        if len(raw) > LINE_BYTES:
            left = allowance.limit - allowance.taken - len(raw)
            allowance.take(len(raw) + _skip_line(stream, raw, left), line=number)
            yield Problem("line-too-long", f"the line is longer than {LINE_BYTES:,} bytes", number)
        else:
            yield _line(number, raw)
            allowance.take(len(raw), line=number)
        if number > LINES:
            raise Unreadable("too-many", f"the file has more than {LINES:,} lines", line=number)


def _skip_line(stream: IO[bytes], raw: bytes, allowance: int) -> int:
    """Read to the end of an overlong line, or until the allowance is used up; returns the bytes read."""
    taken = 0
    while raw and not raw.endswith(b"\n") and taken <= allowance:
        raw = stream.readline(LINE_BYTES)
        taken += len(raw)
    return taken


def _check_kind(raw: bytes) -> None:
    """Check the first line, so that a file that is not text gets one problem instead of a thousand."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("encoding", "the file is UTF-16: save it as UTF-8", line=1)
    if b"\x00" in raw or raw.startswith((b"%PDF", b"\x89PNG", b"\xff\xd8", ZIP, GZIP)):
        raise Unreadable("not-text", "the file is not text: upload JSON Lines or CSV, plain, .gz or .zip", line=1)
    if raw.removeprefix(UTF8_MARK).lstrip()[:1] == b"<":
        raise Unreadable("web-page", "the file is a web page, not a file of answers", line=1)


def _line(number: int, raw: bytes) -> NumberedLine | Problem:
    if raw in BLANK:
        return NumberedLine(number, "")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem("encoding", f"byte {error.start + 1} of the line is not UTF-8", number)
    if "\x00" in text:
        return Problem("encoding", "the line holds a NUL character", number)
    return NumberedLine(number, text.removesuffix("\n").removesuffix("\r"))
