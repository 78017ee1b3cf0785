"""Cost of checking a file in a web process: no file shape of at most a megabyte takes half a second."""

import io

import pytest

from bench.submissions import lint_shapes
from evaluation.submissions.lint.check import lint
from evaluation.submissions.store.upload_queue import LINES_AN_ITEM, is_checked_at_once
from tests.evaluation.submissions.uploads import small_pack, upload

HALF = 0.5  # seconds of processor time
ITEMS = 300


@pytest.fixture
def pack(db):
    return small_pack("large")


@pytest.mark.parametrize("shape", lint_shapes.SHAPES)
def test_no_shape_of_file_costs_a_web_process_half_a_second(pack, shape):
    content = lint_shapes.SHAPES[shape](ITEMS)
    assert lint_shapes.seconds_of(lambda: lint_shapes.where(content)) < HALF


@pytest.mark.parametrize("shape", ["blank-lines", "blank-lines-gzip", "tiny-lines", "bomb-gzip", "zip-of-many"])
def test_many_lines_are_checked_beside_the_site(pack, shape):
    assert lint_shapes.where(lint_shapes.SHAPES[shape](ITEMS)) == "beside"


@pytest.mark.parametrize(("room", "at_once"), [(5, True), (4, True), (3, False)])
def test_a_small_file_about_many_items_is_checked_beside_the_site(pack, monkeypatch, room, at_once):
    """Four items are asked; the header is one line."""
    monkeypatch.setattr("evaluation.submissions.store.upload_queue.AT_ONCE_LINES", 1 + room * LINES_AN_ITEM)
    assert is_checked_at_once(upload(lint_shapes.with_header(b"")), {}) is at_once


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"PK\x03\x04", b"{", b"no header", b'{"benchmark": "none"}\n'])
def test_what_can_not_be_read_is_refused_at_once(pack, content):
    assert is_checked_at_once(io.BytesIO(content), {})
    assert lint(io.BytesIO(content)).problems
