"""The page for submitters names every limit and every code as they are."""

import re
from pathlib import Path

import pytest

from evaluation.submissions import checking, linting, opening, reading
from evaluation.submissions.problems import CODES

PAGE = (Path(__file__).resolve().parents[2] / "docs/submitting.md").read_text()


def test_every_code_is_documented_as_it_is():
    assert dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", PAGE, re.MULTILINE)) == CODES


@pytest.mark.parametrize(
    "limit",
    [
        f"{opening.UPLOAD_BYTES // opening.MEGABYTE} MiB", f"{opening.UNPACKED_BYTES // opening.MEGABYTE} MiB",
        f"{opening.RATIO} times", f"{opening.LINES:,}", f"{reading.ROWS:,}", f"{opening.LINE_BYTES:,} bytes",
        f"| {checking.SEEDS} |", f"{linting.PROBLEMS:,};",
    ],
)  # fmt: skip
def test_every_limit_is_documented_as_it_is(limit):
    assert limit in PAGE
