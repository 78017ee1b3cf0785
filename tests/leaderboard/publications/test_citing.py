"""Files for archives, badges and oEmbed say what the page says: kinds, ranks that stand, and nothing that is hidden."""

import json
import re
from xml.etree import ElementTree

import pytest
import yaml
from django.core.cache import cache

from benchmarks.disclosure import hide
from evaluation.models import Model, ModelRole
from leaderboard.models import PublishedResult, Standing
from leaderboard.standings.refresh import refresh
from tests.factories import make_model
from tests.leaderboard.conftest import answered, make_people, pack_of_two_tests

pytestmark = pytest.mark.django_db
BADGE = "/leaderboard/grasp/badge.svg"
ANY_DAY = r"\d{1,2} \w{3} \d{4}"


def title_of(answer):
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    return ElementTree.fromstring(answer.content)[0].text


def test_a_badge_claims_what_its_row_does(visitor, board, pack):
    yes, right = board
    make_people(pack, simulated=True, level="1")
    found = {row: title_of(visitor.get(f"{BADGE}?level=1&row={row}")) for row in (f"run-{yes.pk}", f"run-{right.pk}")}
    known = {one.run_id: one.overall for one in Standing.objects.exclude(run=None)}
    assert known[right.pk]["score"] == 1.0
    ranked = rf"Right · GRASP · Grounding: rank 1 of 2, 100.0 % \(\d+–100\), baseline, {ANY_DAY}"
    assert re.fullmatch(ranked, found[f"run-{right.pk}"])
    assert re.fullmatch(rf"Yes · .*: rank 2 of 2, 50.0 % \(.*\), baseline, {ANY_DAY}", found[f"run-{yes.pk}"])
    # simulated people and papers have no rank, and say so
    row = f"trial-{Standing.objects.get(kind='simulated').trial.slug}"
    said = title_of(visitor.get(f"{BADGE}?level=1&row={row}"))
    assert "simulated people" in said
    assert "rank" not in said
    place = {"benchmark": "grasp", "level": "2", "strategy": "plausibility", "row": "Newer", "figure": "61.5"}
    paper = PublishedResult.objects.create(**place, source="A later paper", date="2026", checked_by="Reader")
    said = title_of(visitor.get(f"{BADGE}?level=2&row=later-{paper.pk}"))
    assert said == "Newer · GRASP · Intuitive physics: 61.5 %, reported"
    # a search in the address moves nobody up; another row is none
    searched = title_of(visitor.get(f"{BADGE}?level=1&row=run-{yes.pk}&search=yes"))
    assert searched == found[f"run-{yes.pk}"]
    assert visitor.get(f"{BADGE}?row=run-0").status_code == 404
    # the board's own names its best model, which a baseline never is
    assert title_of(visitor.get(f"{BADGE}?level=1")) == "GRASP · Grounding: no model tested yet"
    Model.objects.update(role=ModelRole.MODEL)
    cache.clear()
    assert title_of(visitor.get(f"{BADGE}?level=1")).startswith("GRASP · Grounding: Right: rank 1 of 2")


def test_a_badge_of_hidden_answers_is_as_coarse_as_the_board(visitor, db):
    pack = pack_of_two_tests(64)
    run = answered(pack, "yes", strategy="plausibility", model=make_model(kind="transformers"))
    hide(pack.items.values_list("pk", flat=True), by="trial:fresh")
    refresh()
    said = title_of(visitor.get(f"{BADGE}?level=2&row=run-{run.pk}"))
    assert "45–55 % (" in said
    assert "50.0" not in said


def test_a_badge_is_sent_once(visitor, board):
    first = visitor.get(f"{BADGE}?level=1")
    assert visitor.get(f"{BADGE}?level=1", headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert "max-age=300" in first["Cache-Control"]


def oembed(visitor, url, **more):
    answer = visitor.get("/oembed", {"url": url, **more})
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("address", "kind", "named"),
    [
        ("/leaderboard/grasp/?level=1", "rich", "/embed/leaderboard/grasp/charts/profile/?level=1"),
        ("/leaderboard/grasp/charts/bias/?level=1", "rich", "/embed/leaderboard/grasp/charts/bias/?level=1"),
        ("/models/right/", "photo", "/models/right/picture/?format=png"),
        ("/leaderboard/grasp/items/?row=run-{run}&level=1", "photo", "/leaderboard/grasp/badge.svg?row=run-{run}"),
    ],
)
def test_pages_say_how_they_are_embedded(visitor, board, address, kind, named):
    address, named = (text.format(run=board[1].pk) for text in (address, named))
    page = visitor.get(address).content.decode()
    discovered = re.search(r'type="application/json\+oembed"[^>]*href="([^"]+)"', page, re.DOTALL)[1]
    found = visitor.get(discovered.replace("&amp;", "&").removeprefix("http://testserver")).json()
    assert (found["version"], found["type"]) == ("1.0", kind)
    place = re.search(r'src="([^"]+)"', found["html"])[1].replace("&amp;", "&") if kind == "rich" else found["url"]
    assert named in place
    path = place.partition("://")[2].partition("/")[2]
    assert visitor.get(f"/{path}").status_code in (200, 503)  # a PNG needs cairo
    code, small = oembed(visitor, address, maxwidth=200, maxheight=100)
    assert code == 200
    assert small["width"] <= 200
    assert small["height"] <= 100


@pytest.mark.parametrize(
    ("code", "asked"),
    [
        (404, {}),
        (404, {"url": "https://elsewhere.example/leaderboard/grasp/"}),
        (404, {"url": "/leaderboard/grasp/?level=9"}),
        (404, {"url": "/leaderboard/none/"}),
        (404, {"url": "/account/"}),
        (404, {"url": "http://["}),
        (404, {"url": "/models/nobody/"}),
        (400, {"url": "/leaderboard/grasp/", "maxwidth": "wide"}),
        (501, {"url": "/leaderboard/grasp/", "format": "xml"}),
    ],
)
def test_what_can_not_be_embedded_is_refused_in_json(visitor, code, asked):
    answer = visitor.get("/oembed", asked)
    assert answer.status_code == code
    assert answer.json()["detail"]


def cited(visitor, url, wanted):
    answer = visitor.get("/cite/", {"url": url, "format": wanted})
    assert answer.status_code == 200
    return yaml.safe_load(answer.content) if wanted == "cff" else json.loads(answer.content)


def test_every_rendering_has_the_same_facts(visitor, board, pack):
    for url in ("/leaderboard/grasp/?level=1", "/models/right/", "/benchmarks/grasp/?pack=small"):
        cff, datacite, zenodo = (cited(visitor, url, wanted) for wanted in ("cff", "datacite", "zenodo"))
        assert cff["title"] == datacite["titles"][0]["title"] == zenodo["title"]
        assert cff["version"] == datacite["version"] == zenodo["version"]
        assert str(cff["date-released"]) == datacite["dates"][0]["date"] == zenodo["publication_date"]
        assert len(cff["authors"]) == len(datacite["creators"]) == len(zenodo["creators"])
    assert visitor.get("/cite/?url=/leaderboard/grasp/&format=ris").status_code == 404
    assert visitor.get("/cite/?url=/trials/").status_code == 404
    # an official pack is its authors' and has their licence; figures have none, so they stay closed at Zenodo
    type(pack).objects.filter(pk=pack.pk).update(origin="official")
    datacite, zenodo = (cited(visitor, "/benchmarks/grasp/?pack=small", wanted) for wanted in ("datacite", "zenodo"))
    assert (datacite["creators"][0]["name"], zenodo["license"]) == ("Jassim, Serwan", "mit")
    closed = cited(visitor, "/leaderboard/grasp/?level=1", "zenodo")
    assert (closed["access_right"], "license" in closed) == ("restricted", False)
    assert closed["creators"][0]["name"].startswith("benchsite at ")
    # a pack that was made here is not its authors'
    type(pack).objects.filter(pk=pack.pk).update(origin="generated")
    made = cited(visitor, "/benchmarks/grasp/?pack=small", "zenodo")
    assert made["creators"] == closed["creators"]


def test_only_a_pack_that_may_be_passed_on_is_cited_as_one(visitor, board, pack):
    assert "pack=small" in cited(visitor, "/benchmarks/grasp/?pack=small", "cff")["url"]
    assert cited(visitor, "/benchmarks/pacs/", "cff")["url"].endswith("/benchmarks/pacs/")


def test_the_panel_to_cite_has_files_and_a_badge_on_each_kind_of_page(visitor, board):
    for url in ("/leaderboard/grasp/?level=1", "/models/right/", "/benchmarks/grasp/"):
        page = visitor.get(url).content.decode()
        assert page.count("/cite/?format=") == 3
        [markdown] = re.findall(r"\[!\[[^\]]*\]\(([^)]+)\)\]\([^)]+\)", page)
        path = markdown.replace("&amp;", "&").partition("://")[2].partition("/")[2]
        assert visitor.get(f"/{path}")["Content-Type"] == "image/svg+xml"
