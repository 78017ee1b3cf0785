"""Rows of one model that look alike say what differs, on the board, in its files and in the API."""

import pytest

from evaluation.models import Run
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(pack):
    model = make_model(name="Twice", slug="twice")
    for parser in ("grasp-paper", "grasp-official"):
        answered(pack, "yes", model=model, parser=parser, sampling={"temperature": 0.0})
    answered(pack, answer_to, "Once", parser="grasp-official", sampling={"temperature": 0.5})
    refresh()


@pytest.mark.parametrize(
    "address", ["/leaderboard/grasp/", "/leaderboard/grasp/?format=csv", "/leaderboard/grasp/?format=latex"]
)
def test_rows_that_differ_in_the_parser_say_so_and_nothing_else(runs, visitor, address):
    page = visitor.get(address).content.decode().replace("\\allowbreak{}", "")  # where TeX may break a line
    assert page.count("parser grasp-official") == page.count("parser grasp-paper") > 0
    assert "temperature 0" not in page


@pytest.mark.parametrize("address", ["/models/twice/", "/compare/", "/compare/?a=run-{0}&b=run-{1}&format=md"])
def test_other_pages_say_so_too(runs, visitor, address):
    first, second = Run.objects.filter(model__name="Twice").order_by("pk")
    page = visitor.get(address.format(first.pk, second.pk)).content.decode()
    assert "parser grasp-official" in page
    assert "parser grasp-paper" in page


def test_a_row_of_its_own_look_names_no_setting_and_the_api_has_all(runs, visitor):
    page = visitor.get("/leaderboard/grasp/", {"search": "Once"}).content.decode()
    assert "Once" in page
    assert "parser grasp" not in page
    # the api has the settings of each row
    rows = visitor.get("/api/v1/standings/").json()["results"]
    found = {(row["name"], row["settings"]["parser"].split()[1], row["settings"]["temperature"]) for row in rows}
    twice = {("Twice", parser, "temperature 0.0") for parser in ("grasp-paper", "grasp-official")}
    assert found == twice | {("Once", "grasp-official", "temperature 0.5")}
