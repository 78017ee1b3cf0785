"""The page for submitters lists every limit and every code correctly."""

import re
from pathlib import Path

from benchmarks.policy import LIMITS
from evaluation.submissions.files import archives, parse_upload
from evaluation.submissions.files.native.registry import NATIVE
from evaluation.submissions.lint import check
from tests.evaluation.submissions.uploads import CODES, PAGE

MADE = re.compile(r'(?:Problem|Unreadable|_problem)\((?:row, )?\s*"([a-z-]+)"')


def test_every_code_is_documented():
    sources = Path(check.__file__).parents[1].rglob("*.py")
    assert {code for path in sources for code in MADE.findall(path.read_text())} == CODES


def test_every_limit_is_documented_as_it_is():
    for limit in (
        LIMITS["upload"].words,
        LIMITS["upload unpacked"].words,
        f"{archives.RATIO} times",
        f"{archives.LINES:,}",
        f"{parse_upload.ROWS:,}",
        f"{archives.LINE_BYTES:,} bytes",
        f": {LIMITS['upload document'].words}\n",
        f": {archives.MEMBERS}\n",
        f": {check.SEEDS}\n",
        f"{check.PROBLEMS:,};",
    ):
        assert limit in PAGE


def test_every_format_of_result_files_has_an_example_that_is_told_as_it():
    examples = re.findall(r"^```(?:text|json)\n(.+?)^```", PAGE, re.MULTILINE | re.DOTALL)
    told = [next((form for form in NATIVE if form.begins(example)), None) for example in examples]
    assert {form.title for form in told if form} == {form.title for form in NATIVE}
    assert sum(form is None for form in told) == 1  # JSON Lines
