"""What the tests of pages ask axe: a fault is found in each theme, also where elements that look alike are left out."""

import pytest

from tests.accessibility import findings

pytestmark = pytest.mark.browser
PAGE = """<!doctype html><html lang="en"><title>A page</title><meta name="color-scheme" content="light dark">
<style>
  body { background: light-dark(white, black); color: light-dark(black, white) }
  .faint-at-night { color: light-dark(black, #333) } .faint-by-day { color: light-dark(#ccc, white) }
</style><main><h1>A heading</h1><p>Words</p><p>More words</p>%s</main></html>"""


@pytest.fixture
def found(chromium):
    """The rules that this content breaks, in each theme."""
    page = chromium.new_page()

    def rules(content, known=None):
        page.set_content(PAGE % content)
        kinds = []
        for theme in ("dark", "light"):
            page.emulate_media(color_scheme=theme)
            kinds.append([rule for rule, _html in findings(page, known)])
        return kinds

    yield rules
    page.close()


def test_a_missing_label_is_found_and_a_whole_page_is_not(found):
    assert found("<label>Name <input></label>") == [[], []]
    assert found("<input>") == [["label"], ["label"]]


def test_faint_words_are_found_in_the_theme_that_has_them(found):
    assert found('<p class="faint-at-night">Words</p>') == [["color-contrast"], []]
    assert found('<p class="faint-by-day">Words</p>') == [[], ["color-contrast"]]


def test_one_faint_cell_among_others_is_found(found):
    """Around it is another colour; axe leaves single letters to people, so a cell of one does not stand for others."""
    table = "<table><tr><td>1</td><td>12</td><td>12</td></tr></table>"
    faint = f'<div style="color: light-dark(#bbb, #444)">{table}</div>'
    assert found(table + faint) == [["color-contrast"], ["color-contrast"]]


def test_what_was_found_alike_on_an_earlier_page_is_asked_once(found):
    known = set()
    assert found("<p>Words</p>", known) == [[], []]
    looks = set(known)
    assert found("<p>Other words</p>", known) == [[], []]
    assert known == looks
    assert found('<p class="faint-by-day">Words</p>', known) == [[], ["color-contrast"]]
