"""Any upload gives a report or a refusal: no server error, no hang, nothing stored. `make soak` sends 20,000."""

import os
import time

import pytest

from accounts.throttling import UploadThrottle, UserThrottle
from evaluation.models import Model, Run
from evaluation.parsing import PARSERS
from evaluation.submissions.lint.check import lint
from measures.scores.parsed_answers import ParserContext
from tests.evaluation.submissions.fuzzing import corpus, mutations
from tests.evaluation.submissions.uploads import header, small_pack, upload

pytestmark = pytest.mark.django_db
INPUTS = int(os.environ.get("FUZZ_INPUTS", "60"))
HANG = 5.0  # seconds
OVER_HTTP = 25  # each such input goes through page and API, too


@pytest.fixture
def patient(submitter, monkeypatch):
    """A submitter without rate limits, which would otherwise allow only the first twenty files."""
    for throttle in (UploadThrottle, UserThrottle):
        monkeypatch.setattr(throttle, "rate", "1000000/min", raising=False)
    return submitter


def test_no_file_breaks_the_lint_or_holds_it_up(patient):
    pack = small_pack()
    given = header(pack)
    for number, content in enumerate(mutations(corpus(pack), INPUTS, seed=INPUTS)):
        began = time.process_time()
        report = lint(upload(content), given if number % 3 == 0 else None)
        assert time.process_time() - began < HANG, content[:80]
        assert report.ok or all(problem.what for problem in report.problems)
        if not report.ok and number % OVER_HTTP == 0:
            for address in ("/submit/", "/api/v1/submissions/"):
                answer = patient.post(address, {"file": upload(content)})
                assert answer.status_code < 500, content[:80]
                assert answer.status_code != 429, "nobody has read the file"
    assert not Run.objects.exists()
    assert not Model.objects.exists()


def test_no_reply_breaks_a_parser(db):
    pack = small_pack()
    asked = ParserContext(kind="binary", options=("yes", "no"), expected="yes")
    for content in mutations(corpus(pack), INPUTS, seed=1):
        text = content[:65_000].decode("utf-8", "replace")
        began = time.process_time()
        for parser in PARSERS.values():
            parsed = parser.read(text, asked)
            assert parsed.answer is None or not parsed.problem
        assert time.process_time() - began < HANG, text[:80]
