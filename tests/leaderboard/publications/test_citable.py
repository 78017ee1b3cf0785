"""Staff freeze a snapshot in the browser; it has the metadata that archives need."""

import tomllib

import pytest
import yaml
from django.test import Client

from leaderboard.models import Snapshot
from leaderboard.publications.citable import title_of, view_title

pytestmark = pytest.mark.django_db
FREEZE = "/snapshots/freeze/"


@pytest.fixture
def frozen(staff, board):
    staff.post(FREEZE, {"benchmark": "grasp", "level": "1"})
    return Snapshot.objects.get()


def test_staff_freeze_the_view_that_the_board_leads_to(staff, board):
    page = Client().get("/leaderboard/grasp/?level=1").content.decode()
    link = page.partition('href="/snapshots/?')[2].partition('"')[0].replace("&amp;", "&")
    form = staff.get(f"/snapshots/?{link}").content.decode()
    assert 'name="benchmark" value="grasp"' in form
    assert "Freeze this view" in form
    assert "Freeze this view" not in Client().get(f"/snapshots/?{link}").content.decode()
    answer = staff.post(FREEZE, {"benchmark": "grasp", "level": "1"})
    assert answer["Location"] == Snapshot.objects.get().get_absolute_url()


def test_nobody_else_freezes_and_bad_views_are_named(staff, django_user_model, board):
    visitor, reader = Client(), Client()
    reader.force_login(django_user_model.objects.create_user("reader", password="x"))
    assert visitor.post(FREEZE, {"benchmark": "grasp"}).status_code == 302
    assert reader.post(FREEZE, {"benchmark": "grasp"}).status_code == 403
    assert not Snapshot.objects.exists()
    for given, said in ({"benchmark": "grasp", "level": "9"}, "level"), ({"benchmark": "craft"}, "nothing to freeze"):
        refused = staff.post(FREEZE, given)
        assert (refused.status_code, said in refused.content.decode()) == (404, True)
    assert visitor.get("/snapshots/?benchmark=magic").status_code == 404
    assert visitor.get("/snapshots/?benchmark=grasp&level=9").status_code == 404


def test_metadata_and_pages_name_the_view_and_fold_rows_without_a_figure(visitor, frozen, settings):
    address = frozen.get_absolute_url()
    cff = yaml.safe_load(visitor.get(f"{address}CITATION.cff").content)
    assert {"cff-version", "message", "title", "authors"} <= cff.keys()
    assert cff["identifiers"][0]["value"] == f"sha256:{frozen.sha256}"
    found = visitor.get(f"{address}datacite.json").json()
    required = {"creators", "titles", "publisher", "publicationYear", "types"}
    assert all(found[name] for name in required)
    assert found["types"]["resourceTypeGeneral"] == "Dataset"
    assert found["titles"][0]["title"] == cff["title"]
    page = visitor.get(address).content.decode()
    assert all(f'href="{address}{name}"' in page for name in ("CITATION.cff", "datacite.json"))
    # a view of a benchmark that is gone has the names it had
    assert view_title({"benchmark": "gone", "level": "2", "strategy": "yes-no"}) == "gone, level 2, yes-no"
    # the repository says how it is cited
    cff = yaml.safe_load((settings.BASE_DIR / "CITATION.cff").read_text())
    licence = (settings.BASE_DIR / "LICENSE").read_text()
    assert {"cff-version", "message", "title", "authors"} <= cff.keys()
    assert cff["authors"][0]["name"] in licence
    client = tomllib.loads((settings.BASE_DIR / "client/pyproject.toml").read_text())
    assert cff["version"] == client["project"]["version"] == settings.VERSION
    # pages name the view and fold rows without a figure
    named = "GRASP, Grounding, zero-shot, statement"
    assert f"{named}</a>" in visitor.get("/snapshots/").content.decode()
    row = {"key": "p", "name": "PandaGPT", "kind": "published", "note": "A bar.", "cells": {}, "rank": None}
    frozen.content["published"] = [{**row, "overall": {"printed": "not printed", "n": None}}]
    frozen.save()
    page = visitor.get(frozen.get_absolute_url()).content.decode()
    assert f"<h1>{named}</h1>" in page
    assert "1 model: the paper reports no numbers for this level." in page
    assert "<li><bdi>PandaGPT</bdi>: A bar.</li>" in page
    assert "not printed" not in page
    assert title_of(frozen).startswith(f"{named}: leaderboard of ")
