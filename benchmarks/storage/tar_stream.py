"""A tar archive that is never stored: names, sizes and contents determine its bytes, so any part can be served."""

import tarfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.storage.folder import FILE_TIME

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
