"""Controls of a board: no choice leads to an empty view, and every active filter can be removed."""

import re
from urllib.parse import parse_qsl

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.controls import applied_filters, main_switches
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.models import PublishedResult
from leaderboard.standings.refresh import refresh
from tests.factories import make_pack
from tests.leaderboard.conftest import answered, make_people
from tests.markup import compact

pytestmark = pytest.mark.django_db
GRASP = BENCHMARKS["grasp"]


def switch(legend, benchmark=GRASP, **given):
    return next(one for one in main_switches(view_of(benchmark, given)) if one.legend == legend)


def rows_behind(query):
    """Rows with a figure of a link's view."""
    given = dict(re.findall(r"(\w+)=([^&]*)", query))
    board = board_of(view_of(GRASP, given))
    return len([*board.pinned, *board.ranked, *board.of_the_paper, *board.of_later_papers, *board.people_of_papers])


def test_each_count_is_the_number_of_rows_that_the_link_leads_to(board, pack, physics):
    answered(physics, "yes", strategy="plausibility-cot")
    refresh()
    make_people(pack)
    for given in ({"pack": "small"}, {"level": "2"}, {"level": "2", "strategy": "text"}):
        for legend in ("Prompting", "Input", "Level"):
            found = [one for one in main_switches(view_of(GRASP, given)) if one.legend == legend]
            for choice in (choice for one in found for choice in one.choices):
                assert choice.count == rows_behind(choice.query), (given, choice)


def test_an_empty_choice_is_left_out_and_each_set_filter_is_a_chip(visitor, board):
    page = compact(visitor.get("/leaderboard/grasp/?level=2").content.decode())
    options = re.findall(r'<li><a href="\?[^>]*>([^<]*?)<small>(\d+) rows?</small>', page)
    assert [one.legend for one in main_switches(view_of(GRASP, {})) if len(one.choices) < 2] == []
    assert set(dict(options)) >= {"Grounding", "Intuitive physics", "Zero-shot"}
    assert ("Chain-of-thought" in dict(options), "0" in dict(options).values()) == (False, False)
    assert re.findall(r'name="rows" value="(\w+)"', page) == ["published"]
    strategies = switch("Prompting", level="2")
    assert [choice.is_empty for choice in strategies.choices] == [False, True, True, False]
    # each set filter is a chip that takes it off and leaves the others
    address = "/leaderboard/grasp/?columns=halves&rows=run,published&search=Right"
    page = compact(visitor.get(address).content.decode())
    [chips] = re.findall(r'<p class="row applied">(.*?)</p>', page)
    assert '<span class="count">3</span>' in page
    links = dict(re.findall(r'<a class="badge plain" href="\?([^"]*)" title="Remove this filter">([^<]*?)<span', chips))
    assert list(links.values()) == ["Figures: by correct answer", "Rows: evaluated here, reported", "Name: Right"]
    without = [query for query, text in links.items() if text.startswith("Name")]
    assert "search" not in without[0]
    assert "columns=halves" in without[0]
    assert applied_filters(view_of(GRASP, {})) == []
    assert 'applied"' not in visitor.get("/leaderboard/grasp/").content.decode()


def test_a_choice_keeps_the_split_where_its_strategy_has_it():
    for split in ("paper", "human"):
        queries = [dict(parse_qsl(choice.query)) for choice in switch("Prompting", level="2", split=split).choices]
        views = [view_of(GRASP, {"level": "2"} | query) for query in queries]
        expected = [split if split in view.strategy.splits else view.strategy.splits[0] for view in views]
        assert [view.split for view in views] == expected
        assert split in expected[1:]
    # a later papers figure makes a choice reachable
    place = {"benchmark": "grasp", "level": "2", "strategy": "plausibility-cot", "row": "Newer", "figure": "61.5"}
    PublishedResult.objects.create(**place, source="A later paper, Table 4", date="2026", checked_by="Reader")
    assert [choice.is_empty for choice in switch("Prompting", level="2").choices][1] is False


def test_a_pack_leads_to_what_of_it_has_rows_and_one_without_rows_is_dimmed(pack, board, physics):
    answered(physics, "yes", strategy="plausibility-cot")
    make_pack(name="bare", title="Bare")
    refresh()
    choices = {choice.title: choice for choice in switch("Clips", pack="small").choices}
    assert choices["bare"].is_empty
    assert "strategy=plausibility-cot" in choices["physics"].query
    assert rows_behind(choices["physics"].query) >= choices["physics"].count > 0
