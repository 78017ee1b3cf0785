"""A benchmark whose packs have one level each: boards, controls, tables and its page use each level's pack."""

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.controls import main_switches
from leaderboard.board.query import view_of
from leaderboard.publications.paper_tables import table_named
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_item, make_model, make_pack, make_run, make_validation
from tests.markup import compact

pytestmark = pytest.mark.django_db
HELD = {"patterns": ("1", "automated", "patterns-images"), "prepared": ("2", "charades", "activity-images")}


@pytest.fixture
def packs():
    """Generated patterns, and a newer, prepared pack of activities; one model answered both."""
    model, found = make_model(name="Small"), {}
    for name, (level, test, strategy) in HELD.items():
        origin = "generated" if name == "patterns" else "official"
        pack = make_pack(benchmark="giraffe", name=name, title=f"The {name}", profile="", origin=origin)
        facets = {"level": (level,), "test": (test,), "polarity": ()}
        item = make_item(pack, kind="images", answer_kind="free", options=[], expected=None, facets=facets)
        run = make_run(pack, model=model, strategy=strategy, referee="judge", parser="enumerated")
        make_answer(run, item, "It grows.", score=0.5)
        found[name] = pack
    make_validation("judge")
    refresh()
    return found


def view(**given: str):
    return view_of(BENCHMARKS["giraffe"], given)


@pytest.mark.parametrize(("level", "pack"), [("1", "patterns"), ("2", "prepared"), ("3", "prepared")])
def test_a_board_opens_with_a_pack_that_was_answered_on_its_level(packs, level, pack):
    assert view(level=level).pack.name == pack


def test_a_press_on_another_level_and_the_benchmarks_page_lead_to_rows(packs, visitor):
    (levels,) = [one for one in main_switches(view(level="1")) if one.legend == "Level"]
    queries = [choice.query for choice in levels.choices[1:]]
    assert queries == ["level=2", "level=3&pack=patterns", "level=4&pack=patterns"]
    # the benchmarks page counts every level and calls nothing official
    page = visitor.get("/benchmarks/giraffe/").content.decode()
    assert '?pack=prepared&amp;test=charades">Charades</a>' in page
    assert "1<small>in The prepared</small>" in compact(page)
    assert '?pack=patterns&amp;test=automated">' in page
    assert page.index("The patterns") < page.index("The prepared")  # viewable packs come first
    assert "<td>made here</td>" in compact(page)
    assert "prepared from other data sets" in page
    assert "official" not in page.lower()
    assert "items of its own; not ranked" in visitor.get("/leaderboard/giraffe/").content.decode()


@pytest.mark.parametrize(("layout", "pack"), [("giraffe-table-1", "patterns"), ("giraffe-table-2", "prepared")])
def test_a_papers_table_is_filled_from_the_pack_of_its_level(packs, layout, pack):
    table = table_named(layout, rows=("run",))
    assert len(table.rows) == 1
    assert f"on the pack {pack}" in table.notes[-1]
    assert "the official clips" not in str(table.notes)


def test_predictions_to_be_rated_are_never_what_the_page_opens_with(visitor):
    rated = {"origin": "generated", "profile": "rating", "title": "To be rated"}
    make_pack(benchmark="giraffe", **rated)
    make_pack(benchmark="giraffe", origin="official", profile="", title="The prepared")
    page = visitor.get("/benchmarks/giraffe/").content.decode()
    assert page.index("The prepared") < page.index("To be rated")
