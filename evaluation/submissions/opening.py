"""From uploaded bytes to numbered lines of text: plain, .gz, .zip of one file or of a results folder, within limits."""

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import IO, NamedTuple, cast

from evaluation.submissions.problems import Problem, Unreadable

MEGABYTE = 1024 * 1024
UPLOAD_BYTES = 64 * MEGABYTE
UNPACKED_BYTES = 512 * MEGABYTE
AT_ONCE_BYTES = MEGABYTE  # unpacked: what is checked while its sender waits, in a fraction of a second
RATIO = 200  # text of answers packs 5 to 40 times; a bomb a thousand times
LINE_BYTES = 64 * 1024
LINES = 3_000_000  # a file of empty lines would keep us busy for minutes
DOCUMENT_BYTES = 16 * MEGABYTE  # of one JSON document, which is read as a whole
MEMBERS = 100  # files of a .zip
DIRECTORY_BYTES = 32 * 1024  # of a .zip: that many members need less than this
HEAD_BYTES = 4096

UTF8_MARK = b"\xef\xbb\xbf"  # what Windows programs put before UTF-8

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
END, END_64, END_SIZE, COMMENT_SIZE = b"PK\x05\x06", b"PK\x06\x07", 22, 65535
PATHS = "the archive must hold one plain file, or the files of a results folder: no links, no other paths"
# `zipfile` says RuntimeError of what is locked, and NotImplementedError, which is one, of versions unknown to it.
BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, ValueError, struct.error, RuntimeError)


class Line(NamedTuple):
    """One line of the unpacked file, without its line end."""

    number: int
    text: str


def size_of(file: IO[bytes]) -> int:
    """Bytes of the upload; leaves the file at its beginning."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


@dataclass
class Allowance:
    """How many bytes may still be unpacked of an upload, all its files together."""

    limit: int
    taken: int = 0

    def take(self, count: int, *, line: int | None = None) -> None:
        self.taken += count
        if self.taken > self.limit:
            raise Unreadable("too-much-inside", f"unpacked, the file has more than {self.limit:,} bytes", line=line)


@dataclass(frozen=True)
class Part:
    """One file of an upload: the upload itself, or a member of an archive under the `name` that it has there."""

    name: str
    open: Callable[[], IO[bytes]]
    allowance: Allowance
    is_packed: bool = True

    def begins(self) -> str:
        """The first characters; what is no UTF-8 is replaced, since this only tells formats apart."""
        with self._whole():
            return self.open().read(HEAD_BYTES).removeprefix(UTF8_MARK).decode("utf-8", "replace")

    def lines(self) -> Iterator[Line | Problem]:
        """Yield each line, or what is wrong with it; `Unreadable` where reading can't go on."""
        with self._whole():
            yield from _numbered(self.open(), self.allowance)

    def text(self) -> str:
        """All of it, for formats that are one JSON document."""
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

    def size_up_to(self, limit: int) -> int:
        """Bytes of it unpacked; where there are more than `limit`, only more than that."""
        taken = 0
        with self._whole():
            opened = self.open()
            while taken <= limit and (piece := opened.read(HEAD_BYTES)):
                taken += len(piece)
        return taken

    @contextmanager
    def _whole(self) -> Iterator[None]:
        try:
            yield
        except BROKEN as error:
            if not self.is_packed:
                raise
            raise _broken() from error


def is_within(file: IO[bytes], limit: int) -> bool:
    """Whether no more than so many bytes of the upload will be read: all of it unpacked, or up to where it breaks."""
    if size_of(file) > limit:
        return False
    left = limit
    with suppress(Unreadable):
        for part in parts_of(file):
            left = limit if part.allowance.limit <= limit else left - part.size_up_to(left)
    file.seek(0)
    return left >= 0


def text_lines(file: IO[bytes]) -> Iterator[Line | Problem]:
    """The lines of an upload that is one file."""
    return only(parts_of(file)).lines()


def parts_of(file: IO[bytes]) -> list[Part]:
    """The files of the upload: itself, what a .gz holds, or the members of a .zip in the order of their names."""
    size = size_of(file)
    if size == 0:
        raise Unreadable("empty", "the file is empty")
    if size > UPLOAD_BYTES:
        raise Unreadable("too-big", f"the file has {size:,} bytes; an upload may have {UPLOAD_BYTES:,}")
    allowance = Allowance(min(UNPACKED_BYTES, max(size * RATIO, MEGABYTE)))
    start = _from_start(file).read(4)
    if start.startswith(GZIP):
        unpacked = lambda: cast(IO[bytes], gzip.GzipFile(fileobj=_from_start(file)))  # noqa: E731
        return [Part("", unpacked, allowance)]
    if start.startswith((ZIP, END)):
        try:
            return _members(file, allowance)
        except BROKEN as error:
            raise _broken() from error
    return [Part("", lambda: _from_start(file), allowance, is_packed=False)]


def only(parts: Sequence[Part]) -> Part:
    """The one file that an upload of answers is."""
    if len(parts) != 1:
        raise Unreadable("archive-members", f"the archive holds {len(parts)} files: pack exactly one")
    if "/" in parts[0].name:
        raise Unreadable("archive-path", PATHS)
    return parts[0]


def _from_start(file: IO[bytes]) -> IO[bytes]:
    file.seek(0)
    return file


def _broken() -> Unreadable:
    return Unreadable("broken-archive", "the archive is damaged or incomplete: pack it and upload it again")


def _members(file: IO[bytes], allowance: Allowance) -> list[Part]:
    """The files of a .zip; what its directory claims is checked before anything is read."""
    _check_directory(file)
    archive = zipfile.ZipFile(file)
    members = archive.infolist()
    for member in members:
        _check_member(member)
    files = [member for member in members if not member.is_dir()]
    if members and not files:
        raise Unreadable("archive-path", PATHS)
    return [
        Part(member.filename, partial(archive.open, member), allowance)
        for member in sorted(files, key=lambda member: member.filename)
    ]


def _check_member(member: zipfile.ZipInfo) -> None:
    name = member.orig_filename
    is_link = (member.external_attr >> 28) == 0xA
    if is_link or name.startswith("/") or set("\\:") & set(name) or ".." in name:
        raise Unreadable("archive-path", PATHS)
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Unreadable("broken-archive", "the archive is locked or packed in an unusual way: use plain .zip or .gz")


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
    if not 0 < count <= MEMBERS or length > DIRECTORY_BYTES or END_64 in tail[max(0, at - 64) : at]:
        raise Unreadable("archive-members", f"the archive holds {count} files: pack exactly one, or one results folder")


def _numbered(stream: IO[bytes], allowance: Allowance) -> Iterator[Line | Problem]:
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
    if raw.removeprefix(UTF8_MARK).lstrip()[:1] == b"<":
        raise Unreadable("web-page", "the file is a web page, not a file of answers", line=1)


def _line(number: int, raw: bytes) -> Line | Problem:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem("encoding", f"byte {error.start + 1} of the line is not UTF-8", number)
    if "\x00" in text:
        return Problem("encoding", "the line holds a NUL character", number)
    return Line(number, text.removesuffix("\n").removesuffix("\r"))
