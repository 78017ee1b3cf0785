"""Patterns are written in the administration: errors are shown at their fields, valid patterns are drawn."""

import io
import json
from io import StringIO

import pytest
from django.core.management import call_command
from PIL import Image

from benchmarks.definitions.importers.giraffe import read_release
from benchmarks.models.pattern_drafts import PatternDraft

pytestmark = pytest.mark.django_db

ADD = "/admin/benchmarks/patterndraft/add/"
GOOD = {
    "name": "rolling-ball",
    "changes": ["spatial-movement"],
    "images": "ball red @20,50\nball red @40,50\nball red @60,50",
    "following": "ball red @80,50",
    "wrong": "ball red @60,50 : it stays\nball red : it is back\nball blue @80,50 : blue",
    "pattern": "Each of these three images shows a red ball. It rolls to the right.",
    "pred": "In the next image, the ball will be farther right.",
    "state": "accepted",
    "note": "",
}


def test_a_pattern_is_written_previewed_and_drawn(staff, tmp_path):
    answer = staff.post(ADD, GOOD, follow=True)
    assert answer.status_code == 200
    draft = PatternDraft.objects.get()
    page = staff.get(f"/admin/benchmarks/patterndraft/{draft.pk}/change/").content.decode()
    address = f"/admin/benchmarks/patterndraft/{draft.pk}/preview.png"
    assert address in page
    sheet = staff.get(address)
    assert (sheet["Content-Type"], Image.open(io.BytesIO(sheet.content)).size) == ("image/png", (4 * 112, 2 * 112))
    out = StringIO()
    call_command("prepare_giraffe", "edited", "--out", str(tmp_path), "--json", stdout=out)
    assert json.loads(out.getvalue())["items"] == 1
    found = read_release(tmp_path)
    assert (found.origin, [row.key for row in found.rows]) == ("generated", ["hand/own-rolling-ball"] * 3)
    assert found.problems == ()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "rolling ball", "valid “slug”"),
        ("changes", ["mood"], "mood is not one of the available choices"),
        ("changes", [], "This field is required"),
        ("images", "ball red\nball", "2 pictures: write 3 to 5"),
        ("images", "ball\nbull\nball", "line 2: &#x27;bull&#x27;: there is no &#x27;bull&#x27;"),
        ("images", "ball | ball\nball\nball", "is no colour"),
        ("following", "ball\nball", "one picture, on one line"),
        ("following", "ball @1", "is no colour"),
        ("wrong", "ball : a", "1 pictures: write three"),
        ("wrong", "ball : a\nball /1\nball /2 : c", "line 2: say what is wrong after a colon"),
        ("wrong", "ball red @80,50 : a\nball : b\nball /2 : c", "a near miss is the next picture itself"),
        ("pattern", "no stop", "whole sentences"),
        ("pred", "It rolls.", "begin with “In the next image,”"),
        ("images", "", "This field is required"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(staff, field, value, said):
    answer = staff.post(ADD, GOOD | {field: value})
    assert answer.status_code == 200
    assert list(answer.context["adminform"].form.errors) == [field]
    assert said in answer.content.decode()
    assert not PatternDraft.objects.exists()


def test_a_preview_of_nothing_is_not_found_and_no_visitor_sees_one(staff, client):
    assert staff.get("/admin/benchmarks/patterndraft/7/preview.png").status_code == 404
    client.logout()
    assert client.get("/admin/benchmarks/patterndraft/7/preview.png").status_code == 302
