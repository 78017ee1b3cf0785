"""Rules for all templates."""

import re

from tests.programs import ROOT, TEMPLATES

PAGES = sorted(path for folder in TEMPLATES for path in folder.rglob("*.html"))
LINE = 120

METHOD = re.compile(r"{% for \w+, ?\w+ in [^%]*\.(?:items|keys|values)\b")
BARE = re.compile(r'(?<!<noscript>)<meta http-equiv="refresh"')


def test_no_page_reloads_under_its_reader_where_a_script_can_read_a_part_again():
    """WCAG 2.2.1: a reload sends slow readers and keyboard users back to the top of the page."""
    assert len(PAGES) > 50
    assert [path.name for path in PAGES if BARE.search(path.read_text())] == []


def test_no_template_asks_a_dictionary_for_its_items_by_a_name_that_may_be_a_key():
    found = {path.name: METHOD.findall(path.read_text()) for path in PAGES}
    assert {name: each for name, each in found.items() if each} == {}


def test_no_line_of_a_template_is_longer_than_120_characters():
    lines = [(path, line) for path in PAGES for line in path.read_text().splitlines()]
    assert [(str(path.relative_to(ROOT)), line) for path, line in lines if len(line) > LINE] == []
