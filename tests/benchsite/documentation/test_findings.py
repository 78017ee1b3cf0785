"""docs/testing.md names the tests of faults that others found; each of these tests exists."""

import re

from tests.accounts.test_docs import written
from tests.site import ROOT

SECTION = (ROOT / "docs/testing.md").read_text(encoding="utf-8").partition("## Findings of others")[2]


def test_every_finding_names_tests_that_exist():
    rows = [line for line in SECTION.splitlines() if line.startswith("| ")][1:]
    named = [re.findall(r"`(test_\w+)`", row) for row in rows]
    assert len(rows) > 20
    assert all(named)
    assert sorted({name for names in named for name in names} - written()) == []
