"""The first page's list of what is new, and the page of one model."""

import re

import pytest
from django.utils import timezone

from leaderboard.standings.refresh import refresh
from leaderboard.views.home import MOST, latest_changes
from tests.factories import make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import answer_all, make_people
from tests.markup import compact

pytestmark = pytest.mark.django_db


def run_of(pack, name, **values):
    run = make_run(pack, model=make_model(name=name), finished_at=timezone.now(), **values)
    return answer_all(run, lambda item: "yes")


def test_home_lists_what_is_new_newest_first(visitor, pack):
    for name in ("Earlier", "Later"):
        run_of(pack, name)
    refresh()
    page = visitor.get("/").content.decode()
    listed = re.findall(r"<li><time[^>]*>[^<]*</time>.*?<a [^>]*>([^<]*)", compact(page))
    assert [line.split(",")[0] for line in listed] == ["Later", "Earlier", "Small"]
    assert "50.0" in page


def test_simulated_people_private_runs_and_more_than_a_list_are_no_news(pack):
    make_people(pack, simulated=True)
    run_of(pack, "Private", listing="private")
    for number in range(MOST + 2):
        run_of(pack, f"Model {number}")
    refresh()
    names = " ".join(change.name for change in latest_changes())
    assert "Simulated" not in names
    assert "Private" not in names
    assert len(latest_changes()) == MOST


def test_a_models_page_has_every_benchmark_way_and_revision_and_its_card(visitor, pack):
    card = {
        "zeal": "high",
        "link": "https://example.org/m",
        "released": "2024-05",
        "organisation": "Lab",
        "parameters": "7B",
    }
    model = make_model(name="Seven", card=card, revision="b")
    other = make_pack(benchmark="craft", name="craft-pack")
    make_item(other)
    for where, revision, strategy in ((pack, "a", "binary"), (pack, "b", "binary-cot"), (other, "b", "craft")):
        answer_all(make_run(where, model=model, revision=revision, strategy=strategy), lambda item: "yes")
    page = visitor.get(model.get_absolute_url()).content.decode()
    assert re.findall(r"<h2>([^<]*)", page) == ["CRAFT", "GRASP"]
    assert all(way in page for way in ("chain-of-thought", "direct", "<td>a</td>", "<td>b</td>"))
    assert re.findall(r"<dt>(\w+)", page)[:5] == ["Organisation", "Parameters", "Released", "Link", "Zeal"]
    assert '<a href="https://example.org/m"' in page
    assert "/leaderboard/craft/?search=Seven" in page
