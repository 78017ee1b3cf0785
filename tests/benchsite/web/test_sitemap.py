"""The sitemap for search engines: public pages, nothing about participants, accounts or answers."""

import re
from urllib.parse import urlsplit

import pytest

from evaluation.models import RunState
from leaderboard.board.reported_models import reported_models
from tests.factories import make_model, make_pack, make_run

pytestmark = pytest.mark.django_db


def places(visitor) -> list[str]:
    page = visitor.get("/sitemap.xml")
    assert page["Content-Type"] == "application/xml"
    return [urlsplit(found).path for found in re.findall(r"<loc>([^<]+)</loc>", page.content.decode())]


def test_every_place_of_the_sitemap_opens(visitor):
    found = places(visitor)
    assert {"/", "/leaderboard/grasp/", "/benchmarks/pacs/", "/docs/tutorials/first-evaluation/"} <= set(found)
    reported = [f"/models/{slug}/" for slug in reported_models()]
    assert set(reported) <= set(found)
    every = [path for path in found if path not in reported[3:]]  # forty pages of one kind
    assert {visitor.get(path).status_code for path in every} == {200}


def test_a_model_is_there_once_a_run_of_it_is_on_a_board(visitor):
    pack = make_pack()
    for name, state in (("known", RunState.FINISHED), ("waiting", RunState.RUNNING)):
        run = make_run(pack, model=make_model(slug=name, name=name.title()))
        type(run).objects.filter(pk=run.pk).update(state=state)
    models = [path for path in places(visitor) if path.startswith("/models/") and path != "/models/"]
    reported = {f"/models/{slug}/" for slug in reported_models()}
    assert [path for path in models if path not in reported] == ["/models/known/"]
    assert "/models/video-llama-7b/" in models


def test_robots_are_kept_from_participants_accounts_and_answers(visitor):
    lines = visitor.get("/robots.txt").content.decode().splitlines()
    assert {"Disallow: /t/", "Disallow: /p/", "Disallow: /account/", "Disallow: /*?*answer="} <= set(lines)
    assert lines[-1] == "Sitemap: http://testserver/sitemap.xml"
    forbidden = tuple(line.removeprefix("Disallow: ") for line in lines if line.startswith("Disallow"))
    assert not [path for path in places(visitor) if path.startswith(forbidden)]
