"""The page for submitters names every limit and every code as they are."""

import re
from pathlib import Path

import pytest

from evaluation.submissions import checking, linting, opening, reading
from evaluation.submissions.native.registry import NATIVE
from evaluation.submissions.problems import CODES

PAGE = (Path(__file__).resolve().parents[2] / "docs/submitting.md").read_text()


def test_every_code_is_documented_as_it_is():
    assert dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", PAGE, re.MULTILINE)) == CODES


@pytest.mark.parametrize(
    "limit",
    [
        f"{opening.UPLOAD_BYTES // opening.MEGABYTE} MiB", f"{opening.UNPACKED_BYTES // opening.MEGABYTE} MiB",
        f"{opening.RATIO} times", f"{opening.LINES:,}", f"{reading.ROWS:,}", f"{opening.LINE_BYTES:,} bytes",
        f"| {opening.DOCUMENT_BYTES // opening.MEGABYTE} MiB |", f"| {opening.MEMBERS} |",
        f"| {checking.SEEDS} |", f"{linting.PROBLEMS:,};",
    ],
)  # fmt: skip
def test_every_limit_is_documented_as_it_is(limit):
    assert limit in PAGE


@pytest.mark.issue("C")
def test_every_format_of_result_files_has_an_example_that_is_told_as_it():
    examples = re.findall(r"^```(?:text|json)\n(.+?)^```", PAGE, re.MULTILINE | re.DOTALL)
    told = [next((form for form in NATIVE if form.begins(example)), None) for example in examples]
    assert {form.title for form in told if form} == {form.title for form in NATIVE}
    assert sum(form is None for form in told) == 1  # JSON Lines
