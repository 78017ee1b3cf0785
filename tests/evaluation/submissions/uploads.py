"""Files of answers for tests: a small pack, its header, rows as JSON Lines; and the runs that they become."""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from django.http import HttpResponse
from openpyxl import Workbook

from accounts.models import User
from benchmarks.models import Item, Pack
from evaluation.models import Run
from evaluation.submissions.listing.lifecycle import propose
from evaluation.submissions.store.submit import submit
from tests.factories import make_item, make_pack

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "submitting.md").read_text()
CODES = set(re.findall(r"^\* `([a-z-]+)`: ", PAGE, re.MULTILINE))


def small_pack(name: str = "small") -> Pack:
    """Four yes/no items, two of them true, and one open item outside `binary`."""
    pack = make_pack(name=name, title="A small pack")
    for position, expected in enumerate(("yes", "no", "yes", "no")):
        facets: dict[str, tuple[str, ...]] = {"split": ("all", "paper"), "test": (("Color", "Shape")[position // 2],)}
        make_item(pack, public_id=f"{name}{position}", expected=expected, facets=facets)
    make_item(pack, public_id=f"{name}open", kind="open", options=["red", "blue"], expected="red", answer_kind="label")
    return pack


def header(pack: Pack, **changes: str) -> dict[str, str]:
    """A header that fits the pack."""
    how = {"strategy": "binary", "condition": "video", "split": "all"}
    return {"benchmark": "grasp", "pack": pack.name, "model": "A model"} | how | changes


def items_of(pack: Pack) -> list[Item]:
    return list(pack.items.filter(kind="binary").order_by("public_id"))


def rows_for(pack: Pack, answer: str = "yes", kind: str = "answer") -> list[dict[str, object]]:
    return [{"item": item.public_id, kind: answer} for item in items_of(pack)]


def json_lines(*records: object) -> bytes:
    """One record per line; text is unchanged."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    return ("\n".join(lines) + "\n").encode()


def good_file(pack: Pack, answer: str = "yes", kind: str = "answer", **changes: str) -> bytes:
    return json_lines(header(pack, **changes), *rows_for(pack, answer, kind))


def upload(content: bytes, name: str = "answers.jsonl") -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


def zipped(members: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in dict(members).items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # no date: the same bytes each time
    return file.getvalue()


def unzipped(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def workbook(rows: Iterable[Iterable[object]]) -> bytes:
    """An .xlsx whose first sheet has these rows; a text that begins like a formula stays a text."""
    book, file = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(list(row))
    book.save(file)
    return file.getvalue()


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def stored(pack: Pack, user: User, **changes: str) -> Run:
    """The private run of a good file."""
    return submit(file=upload(good_file(pack, **changes)), user=user)


def proposed(pack: Pack, user: User, **changes: str) -> Run:
    return propose(run=stored(pack, user, **changes), by=user)


def words(page: HttpResponse) -> str:
    """The page with single spaces."""
    return " ".join(page.content.decode().split())
