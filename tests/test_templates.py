"""What holds of every template."""

import re

import pytest

from tests.site import ROOT

BARE = re.compile(r'(?<!<noscript>)<meta http-equiv="refresh"')


@pytest.mark.issue("G")
def test_no_page_reloads_under_its_reader_where_a_script_can_read_a_part_again():
    """WCAG 2.2.1: whoever reads slowly, or with the keyboard, must not be taken back to the top."""
    templates = list((ROOT / "templates").rglob("*.html"))
    assert len(templates) > 50
    assert [path.name for path in templates if BARE.search(path.read_text())] == []
