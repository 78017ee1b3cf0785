"""A listed upload is a row of its board; a withdrawn one leaves it."""

import pytest

from evaluation.submissions.listing.lifecycle import list_run, propose, withdraw
from evaluation.submissions.store.submit import submit
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.evaluation.submissions.uploads import header, json_lines, stored, upload
from tests.factories import make_item, make_pack

pytestmark = pytest.mark.django_db


def test_a_listed_upload_is_a_row_and_leaves_when_taken_back(pack, user):
    run = stored(pack, user)
    for act, rows in ((propose, []), (list_run, [("A model", "uploaded", 0.5)]), (withdraw, [])):
        act(run=run, by=user)
        refresh()
        standings = Standing.objects.filter(split="all")
        assert [(row.name, row.kind, row.overall["score"]) for row in standings] == rows


def test_an_accepted_file_of_one_answer_is_a_baseline_on_every_page(visitor, user):
    pack = make_pack(name="yes")
    for place in range(12):
        facets = {"level": ("2",), "test": ("Gravity",), "concept": ("gravity",), "split": ("all",)}
        make_item(pack, kind="plausibility", expected="yes" if place % 3 else "no", variant="", facets=facets)
    rows = [{"item": item.public_id, "answer": "yes"} for item in pack.items.all()]
    file = upload(json_lines(header(pack, strategy="plausibility"), *rows))
    run = submit(file=file, user=user)
    propose(run=run, by=user)
    list_run(run=run, by=user)
    refresh()
    board = visitor.get("/leaderboard/grasp/?level=2&format=json").json()
    assert [row["is_baseline"] for row in board["rows"] if row["kind"] == "uploaded"] == [True]
    assert board["leaders"]["here"] is None
    for path in ("/", "/concepts/", "/concepts/gravity/", "/models/a-model/"):
        assert "model uploaded" not in visitor.get(path).content.decode()
    assert "baseline" in visitor.get("/leaderboard/grasp/?level=2").content.decode().partition("A model")[2][:600]
