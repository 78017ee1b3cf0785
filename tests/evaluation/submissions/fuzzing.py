"""Invalid files: a corpus of hostile ones, and their mutations, reproducible by seed."""

import gzip
import random
import struct
import zipfile
from collections.abc import Iterator
from io import BytesIO

from benchmarks.models import Pack
from tests.evaluation.submissions.uploads import good_file, gzipped, header, json_lines, zipped

SPLICES = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"NaN", b"Infinity", b"-0", b"1e999", b"{" * 200, b"[" * 5000,
    b'"' * 3, b"\r", b"\n\n", b"\x1a", b"=HYPERLINK(1)", b"@SUM(A1)", b"<script>", b"{{ 7*7 }}", b"{% debug %}",
    b"../../etc/passwd", b"\xe2\x80\xae", b'"seed": 99999999999999999999', b"," * 300, b"PK\x03\x04", b"\x1f\x8b",
)  # fmt: skip


def corpus(pack: Pack) -> list[bytes]:
    """Valid files in every compression, and all known kinds of bad ones."""
    good = good_file(pack)
    table = b"item,answer\n" + b"".join(f"{pack.name}{number},yes\n".encode() for number in range(4))
    deep = b'{"item": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    return [
        good, table, gzipped(good), zipped({"answers.jsonl": good}), good.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + good, good.decode().encode("utf-16"), good.decode().encode("latin-1"),
        b"", b"\n" * 1000, b"null\n", b"[]\n", b"NaN\n", b'{"item": NaN}\n', deep, b"{" * 50_000,
        b"\n" * 60_000, b"1.\n" * 20_000, b"the " * 15_000,
        json_lines(header(pack, model="=cmd|' /C calc'!A0")), json_lines(header(pack, model="<b>{{ 7*7 }}</b>")),
        good + b'{"item": "x", "answer": "' + b"y" * 70_000 + b'"}\n',
        gzip.compress(b"\x00" * 30_000_000, 9), zipped({"zeros.jsonl": b"0" * 30_000_000}),
        zipped({"../answers.jsonl": good}), zipped({"/etc/answers.jsonl": good}), zipped({"a\\b.jsonl": good}),
        zipped({f"{number}.jsonl": b"x" for number in range(3000)}), _link(), _claims_much(good),
        gzipped(gzipped(good)), zipped({"inner.zip": zipped({"answers.jsonl": good})}),
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 100, b"%PDF-1.7", b"\x00\x00\x00\x18ftypmp42", b"<!doctype html><html>",
        b'item,answer\n"never closed', b"item\tanswer\n", b"item,item,answer\na,b,c\n",
        b"video_index\tquestion_index\tsplit\tprediction\n1\t2\ttest\t" + b"9" * 5000 + b"\n",
        b'{"object0118_object0119": {"question0301": [NaN, 1e999]}}', b"test_1,True\ntest_2,\xff\n",
        b"scene,prompt,video_file,gt,response\n=1+1,\x00,../../x.mp4,yes,no\n",
    ]  # fmt: skip


def mutations(seeds: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Yield the corpus, then so many mutations by cutting, doubling, splicing and flipping."""
    chance = random.Random(seed)
    small = [content for content in seeds if len(content) < 100_000]
    yield from seeds[:count]
    for _number in range(count - len(seeds)):
        content = bytearray(chance.choice(small))
        for _change in range(chance.randint(1, 4)):
            _change_one(content, chance, small)
        yield bytes(content)


def _change_one(content: bytearray, chance: random.Random, seeds: list[bytes]) -> None:
    at = chance.randint(0, len(content))
    match chance.randrange(5):
        case 0:
            del content[at : at + chance.randint(1, 60)]
        case 1:
            content[at:at] = chance.choice(SPLICES)
        case 2:
            content[at : at + 1] = bytes([chance.randrange(256)])
        case 3:
            content[at:at] = content[at : at + 80]
        case _:
            other = chance.choice(seeds)
            content[at:] = other[chance.randint(0, len(other)) :][:4000]


def _link() -> bytes:
    """A .zip whose only member is a symbolic link."""
    file, member = BytesIO(), zipfile.ZipInfo("answers.jsonl")
    member.external_attr = 0o120777 << 16
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, "/etc/passwd")
    return file.getvalue()


def _claims_much(good: bytes) -> bytes:
    """A .zip whose end record claims 65,000 files."""
    content = bytearray(zipped({"answers.jsonl": good}))
    at = content.rfind(b"PK\x05\x06")
    content[at + 8 : at + 12] = struct.pack("<HH", 65_000, 65_000)
    return bytes(content)
