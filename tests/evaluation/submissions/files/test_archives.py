"""Hostile and broken files: one sentence each, within limits of memory and time."""

import io
import struct
import zipfile

import pytest

from evaluation.submissions.files import archives
from evaluation.submissions.files.archives import only, parts_of
from evaluation.submissions.files.problems import Unreadable
from tests.evaluation.submissions.uploads import CODES, gzipped, zipped

TEXT = b'{"item": "a", "answer": "yes"}\n' * 50


def refusal(content: bytes, way: str = "lines") -> str:
    """The code of the problem that reading in this way ends with."""
    with pytest.raises(Unreadable) as stopped:
        read(content, way)
    problem = stopped.value.problem
    assert problem.code in CODES
    assert problem.what
    assert "\n" not in problem.what
    return problem.code


def read(content: bytes, way: str = "lines") -> list:
    return list(getattr(only(parts_of(io.BytesIO(content))), way)())


def linked() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        link = zipfile.ZipInfo("answers.jsonl")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return file.getvalue()


def marked(at: int, value: int) -> bytes:
    """A .zip whose directory entry has another version, flag or compression method."""
    content = bytearray(zipped({"a.jsonl": TEXT}))
    start = content.index(b"PK\x01\x02")
    content[start + at : start + at + 2] = struct.pack("<H", value)
    return bytes(content)


HOSTILE = [
    (b"", "empty"),
    (gzipped(TEXT)[:-20], "broken-archive"),
    (gzipped(TEXT)[:5], "broken-archive"),
    (gzipped(TEXT) + b"more", "broken-archive"),
    (gzipped(TEXT)[:30] + b"\x00\x01\x02" + gzipped(TEXT)[33:], "broken-archive"),
    (zipped({}), "archive-members"),
    (zipped({"a.jsonl": TEXT, "b.jsonl": TEXT}), "archive-members"),
    (zipped({f"{number}.jsonl": b"" for number in range(2000)}), "archive-members"),
    *((zipped({name: TEXT}), "archive-path") for name in ("../answers.jsonl", "/etc/answers.jsonl", "c:\\a.jsonl")),
    (zipped({"folder/": b""}), "archive-path"),
    (linked(), "archive-path"),
    *((marked(*entry), "broken-archive") for entry in ((6, 122), (8, 1), (10, 14), (10, 99))),
    (zipped({"a.jsonl": TEXT})[:60], "broken-archive"),
    (zipped({"a.jsonl": gzipped(TEXT)}), "not-text"),
    *((start, "not-text") for start in (b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n", b"\x7fELF\x02\x01\x01\x00\x00")),
    ("item,answer\n".encode("utf-16"), "encoding"),
    (b"<!doctype html><title>404</title>", "web-page"),
]


def test_a_hostile_or_broken_file_is_one_sentence():
    wrong = [(content[:60], code, found) for content, code in HOSTILE if (found := refusal(content)) != code]
    assert not wrong


def test_a_file_that_swells_or_never_ends_is_one_sentence():
    assert refusal(gzipped((b"x" * 999 + b"\n") * 50_000)) == "too-much-inside"
    assert refusal(zipped({"a.jsonl": b"x" * 50_000_000})) == "too-much-inside"
    large = gzipped(b"x" * 100_000_000)  # one line
    assert [refusal(large, way) for way in ("lines", "content", "text")] == ["too-much-inside"] * 3


def test_an_archive_that_is_locked_says_so():
    with pytest.raises(Unreadable, match="locked or packed in an unusual way"):
        read(marked(8, 1))


def test_what_a_file_manager_put_into_an_archive_is_ignored():
    for name in ("__MACOSX/._a.jsonl", ".DS_Store", "Thumbs.db", "desktop.ini"):
        (part,) = parts_of(io.BytesIO(zipped({"a.jsonl": TEXT, name: b"\x00\x01"})))
        assert (part.name, next(part.lines()).number) == ("a.jsonl", 1)


def test_a_file_over_the_limit_is_not_read_nor_one_of_empty_lines(monkeypatch):
    monkeypatch.setattr(archives, "LINES", 1000)
    assert refusal(b"\n" * 1001) == "too-many"
    for limit, way, code in (("UPLOAD_BYTES", "lines", "too-big"), ("DOCUMENT_BYTES", "text", "too-much-inside")):
        monkeypatch.setattr(archives, limit, len(TEXT))
        assert read(TEXT, way)
        monkeypatch.setattr(archives, limit, len(TEXT) - 1)
        assert refusal(TEXT, way) == code
        monkeypatch.undo()
    monkeypatch.setattr(archives, "MEMBERS", 2)
    content = {f"{number}.jsonl": TEXT for number in range(3)}
    with pytest.raises(Unreadable, match="holds 3 files: pack exactly one, or one results folder"):
        parts_of(io.BytesIO(zipped(content)))
    content.popitem()
    assert len(parts_of(io.BytesIO(zipped(content)))) == 2
