from dataclasses import replace

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack
from leaderboard.board.query import AvailablePacks, BadAddress, View, available_packs, published_places, view_of
from tests.factories import make_pack

GRASP = BENCHMARKS["grasp"]
NOTHING = AvailablePacks()
TITLES = {("grasp", "2"): "GRASP · Intuitive physics", ("craft", "1"): "CRAFT", ("pacs", "1"): "PACS"}
TITLES |= {("pacs", "2"): "PACS · PACS-material", ("tapped", "2"): "Tapped · Tapped-material"}


def test_splits_and_conditions_are_those_of_the_packs_rows_under_the_strategy():
    first, second = Pack(pk=1, name="first"), Pack(pk=2, name="second")
    places = ((1, "all", "binary", "video"), (1, "paper", "open", "audio"), (2, "human", "binary", "first-frame"))
    found = AvailablePacks((first, second), {(*place, "run"): 1 for place in places})
    assert (found.splits(first, "binary"), found.conditions(first, "binary")) == ({"all"}, {"video"})
    assert (found.splits(first, "text"), found.conditions(None, "binary")) == (set(), set())


def test_a_board_opens_with_the_newest_pack_that_was_answered():
    first, second, third = (Pack(pk=number, name=str(number)) for number in (1, 2, 3))
    places = ((1, "all", "binary", "video", "run"), (2, "all", "text", "text", "human"))
    found = AvailablePacks((first, second, third), dict.fromkeys(places, 1))
    assert (found.default_pack(("binary", "open")), found.default_pack(("open",))) == (first, second)
    assert (replace(found, counts={}).default_pack(), NOTHING.default_pack()) == (third, None)


def test_a_view_is_called_by_its_benchmark_and_its_level_if_there_are_several():
    titles = {(slug, number): view_of(BENCHMARKS[slug], {"level": number}, NOTHING).title for slug, number in TITLES}
    assert titles == TITLES


@pytest.mark.parametrize(
    ("slug", "strategy", "places"),
    [
        ("pacs", "material", {("audio", "test"), ("audio", "val")}),
        ("craft", "craft", {("video", "easy-test"), ("video", "hard-test")}),
        ("giraffe", "activity-video", {("video", "")}),
        ("grasp", "text", {("text", "")}),
    ],
)
def test_papers_print_figures_of_a_level_under_a_condition_and_a_split(slug, strategy, places):
    view = view_of(BENCHMARKS[slug], {"strategy": strategy}, NOTHING)
    assert set(published_places(view.benchmark, view.level, view.strategy)) == places


def test_variants_of_a_strategy_are_offered_where_they_have_rows_or_are_asked_for():
    pack = Pack(pk=1, name="one")
    found = AvailablePacks((pack,), {(1, "all", "plausibility-likelihood", "video", "run"): 1})
    views = [view_of(GRASP, {"level": "2"}, NOTHING), view_of(GRASP, {"level": "2"}, found)]
    views.append(view_of(GRASP, {"level": "2", "strategy": "plausibility-constrained"}, NOTHING))
    plain = {"plausibility", "plausibility-cot", "plausibility-oneshot", "text"}
    assert [{one.name for one in view.strategies} - plain for view in views] == [
        set(),
        {"plausibility-likelihood"},
        {"plausibility-constrained"},
    ]


@pytest.mark.parametrize(
    ("given", "level", "strategy", "condition"),
    [
        ({}, "1", "binary", "video"),
        ({"level": "2"}, "2", "plausibility", "video"),
        ({"strategy": "plausibility-cot"}, "2", "plausibility-cot", "video"),
        ({"strategy": "text"}, "2", "text", "text"),
        ({"condition": "first-frame"}, "1", "binary", "first-frame"),
    ],
)
def test_what_an_address_leaves_open_is_filled(given, level, strategy, condition):
    view = view_of(GRASP, given, NOTHING)
    assert (view.level.number, view.strategy.name, view.condition) == (level, strategy, condition)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"level": "3"}, "there is: 1, 2"),
        ({"strategy": "magic"}, "binary, binary-cot"),
        ({"level": "1", "strategy": "text"}, "binary"),
        ({"pack": "gone"}, "none yet"),
        ({"split": "zz"}, "all, paper, human"),
        ({"group": "concept"}, "there is: test"),
        ({"columns": "x"}, "accuracy, halves, yes, sensitivity"),
        ({"caution": "perhaps"}, "in, out"),
        ({"rows": "robots"}, "human, simulated, run"),
        ({"page": "0"}, "a number from 1"),
        ({"page": "10000"}, "a number from 1"),
        ({"page": "9" * 40}, "a number from 1"),
        ({"page": "²"}, "a number from 1"),
    ],
)
def test_an_address_of_nothing_says_what_exists(given, told):
    with pytest.raises(BadAddress, match=told):
        view_of(GRASP, given, NOTHING)


@pytest.mark.django_db
def test_the_address_is_the_view():
    make_pack(name="one")
    given = {"level": "2", "group": "concept", "columns": "yes", "caution": "out", "search": "ll", "sort": "-name"}
    view = view_of(GRASP, given | {"rows": "run", "page": "3", "split": "human"}, available_packs("grasp"))
    assert view_of(GRASP, view.state(), available_packs("grasp")) == view
    # a change of view goes to the first page
    view = view_of(GRASP, {"page": "9999"}, NOTHING)
    assert view.page == 9999
    assert isinstance(view, View)
    assert view.but(columns="yes").page == 1
