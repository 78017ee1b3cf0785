"""Figures that an open study hides say so, and until when; rounded ones are ranges."""

import re

import pytest

from benchmarks.disclosure import hide
from benchmarks.disclosure.readers import WITHHELD
from leaderboard.board.board_row import BoardCell
from leaderboard.board.cell_display import figure, score_text
from leaderboard.board.hidden_figures import OF_ANSWERS
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model
from tests.leaderboard.conftest import answered, pack_of_two_tests

pytestmark = pytest.mark.django_db
OF_A_STUDY = "hidden while a study runs, back when it closes"
LEVEL_2 = "/leaderboard/grasp/?level=2"


@pytest.fixture
def large():
    """Thirty-two clips of two tests, answered by one model: too few a test to round, enough together."""
    pack = pack_of_two_tests(32)
    answered(pack, answer_to, strategy="plausibility", model=make_model(name="Seer", slug="seer", kind="scripted"))
    return pack


def page_of(visitor, address):
    return " ".join(visitor.get(address).content.decode().split())


@pytest.mark.parametrize(("by", "words"), [("trial:fresh", OF_A_STUDY), (WITHHELD, OF_ANSWERS)])
def test_a_row_without_its_tests_says_why_and_its_overall_is_a_range(visitor, large, by, words):
    hide(large.items.values_list("pk", flat=True), by=by)
    refresh()
    row = visitor.get(f"{LEVEL_2}&format=json").json()["rows"][0]
    assert row["cells"] == {}
    assert (row["overall"]["score"], row["overall"]["range"]) == (1.0, [0.9, 1.0])
    for format in ("csv", "latex", "md"):
        found = visitor.get(f"{LEVEL_2}&format={format}").getvalue().decode()
        assert "Seer" in found
        assert re.search("90(–|--)100", found), format
    yes = page_of(visitor, f"{LEVEL_2}&columns=yes").partition("Seer")[2]
    assert ("30–50" in yes, "40.0" in yes) == (True, False), "half of the answers are yes, in steps of 20 points"
    page = page_of(visitor, LEVEL_2)
    assert words in page
    concept = page_of(visitor, "/concepts/gravity/")
    assert f'title="{words}">hidden<' in concept
    assert "90–100" in concept
    assert "not reported" not in page.partition("Seer")[2].partition("</tr>")[0]


def test_public_questions_hide_nothing_and_a_hidden_one_has_the_words_of_an_unknown_one(visitor, large):
    refresh()
    page = page_of(visitor, LEVEL_2)
    assert OF_A_STUDY not in page
    assert ">hidden<" not in page
    # a hidden question and an unknown one have the same words
    item = large.items.first()
    hide([item.pk], by="trial:fresh")
    texts = [page_of(visitor, f"/benchmarks/grasp/items/{name}/") for name in (item.public_id, "nosuchid")]
    assert texts[0].replace(item.public_id, "ID") == texts[1].replace("nosuchid", "ID")
    assert "or an open study hides it: such questions come back when the study closes" in texts[0].replace(
        "&#x27;", "'"
    )


@pytest.mark.parametrize(
    ("share", "step", "text"),
    [(0.7, 0.1, "65–75"), (0.0, 0.2, "0–10"), (1.0, 0.1, "95–100"), (0.713, 0.001, "71.25–71.35"), (0.7, None, "70.0")],
)
def test_a_rounded_figure_is_printed_as_a_range(share, step, text):
    cell = BoardCell(score=share, n=64, low=0.6, high=0.8, facts={"step": step} if step else {})
    assert score_text(cell) == text
    assert figure(cell) == f"{text} % (60–80)"
