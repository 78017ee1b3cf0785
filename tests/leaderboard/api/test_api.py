"""The API: its content, its secrets, and its answers to mistakes."""

import csv
import io
import json
from base64 import b64encode
from dataclasses import asdict
from urllib.parse import urlencode

import pytest
from django.core.cache import caches
from drf_spectacular.generators import SchemaGenerator

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models.answers import ItemSeal
from evaluation.models import ModelResponse
from humantrials.models import FollowUp, TrialState
from leaderboard.api import query
from leaderboard.board.query import view_of
from leaderboard.publications.snapshot import content_of, store_snapshot
from leaderboard.standings.refresh import refresh
from tests.factories import make_item, make_model, make_run, set_expected

LISTS = ("packs", "items", "models", "runs", "standings", "trials", "snapshots")


def rows(visitor, address):
    answer = visitor.get(f"/api/v1/{address}")
    assert answer.status_code == 200, answer.content
    found = answer.json()
    return found["results"] if isinstance(found, dict) else found


def first_item(pack):
    return pack.items.order_by("public_id").first()


def test_empty_lists_definitions_and_cells_of_a_csv(visitor, db):
    empty = {"next": None, "previous": None, "results": []}
    assert [name for name in LISTS if visitor.get(f"/api/v1/{name}/").json() != empty] == []
    # a definition says what is asked and what is wrong with it
    found = visitor.get("/api/v1/benchmarks/grasp/").json()
    assert {"binary", "plausibility"} <= {strategy["name"] for strategy in found["strategies"]}
    assert found["defects"]
    assert "polarity" not in {facet["name"] for facet in found["facets"]}
    assert len(rows(visitor, "benchmarks/")) == 5
    # no cell of a csv runs as a formula
    make_model(name="=1+1", slug="formula", card={"organisation": "@SUM(A1)"})
    (row,) = csv.DictReader(io.StringIO(visitor.get("/api/v1/models/?format=csv").content.decode()))
    assert (row["name"], row["card.organisation"]) == ("'=1+1", "'@SUM(A1)")


def test_packs_items_pages_and_fields(visitor, board):
    (pack,) = rows(visitor, "packs/?benchmark=grasp")
    assert (pack["items"], pack["clips"]) == (16, 8)
    assert visitor.get(f"/api/v1/packs/grasp/{pack['name']}/").json() == pack
    # items can be narrowed by facet but not by the answer
    assert len(rows(visitor, "items/?facet=test:Shape")) == 8
    assert len(rows(visitor, "items/?facet=test:Shape&kind=open")) == 0
    refusal = visitor.get("/api/v1/items/?facet=polarity:positive")
    assert refusal.status_code == 404
    assert "reveals the answer" in refusal.json()["detail"]
    # no item tells its answer
    for item in rows(visitor, "items/"):
        assert not {"expected", "variant"} & set(item)
        assert "polarity" not in item["facets"]
    # pages hang together and tell each row once
    address, seen = "/api/v1/items/?page_size=5&fields=public_id", []
    while address:
        page = visitor.get(address).json()
        assert len(page["results"]) <= 5
        seen += [row["public_id"] for row in page["results"]]
        address = page["next"]
    assert len(seen) == len(set(seen)) == 16
    assert seen == sorted(seen)
    # fields are chosen
    assert [set(row) for row in rows(visitor, "runs/?fields=id,strategy")] == [{"id", "strategy"}] * 2
    # items can be narrowed by strategy
    plausible = make_item(board[0].pack, kind="plausibility", expected="yes", facets={"level": ("2",)})
    assert [row["public_id"] for row in rows(visitor, "items/?strategy=plausibility")] == [plausible.public_id]
    assert len(rows(visitor, "items/?strategy=binary&benchmark=grasp")) == 16
    assert rows(visitor, "items/?strategy=pair&benchmark=grasp") == []
    refusal = visitor.get("/api/v1/items/?strategy=telepathy")
    assert (refusal.status_code, "there is: binary" in str(refusal.json())) == (404, True)


def test_official_names_and_clips_are_told_where_answers_are_public(visitor, board):
    item = first_item(board[0].pack)
    found = {row["public_id"]: row for row in rows(visitor, "items/")}
    (clip,) = item.pack.clips.filter(uses__item=item)
    assert found[item.public_id]["key"] == item.key
    assert found[item.public_id]["clips"] == [clip.renditions.get().get_absolute_url()]
    set_expected(item.pack.items.filter(key=item.key), None)
    withheld = {row["public_id"]: (row["key"], row["clips"]) for row in rows(visitor, "items/")}
    hidden = {one.public_id for one in item.pack.items.filter(key=item.key)}
    assert {name for name, told in withheld.items() if told == ("", [])} == hidden
    assert visitor.get(f"/api/v1/items/{item.public_id}/").json()["key"] == ""


def test_a_row_that_arrives_meanwhile_moves_no_other(visitor, pack):
    for name in "abcd":
        make_model(slug=name)
    first = visitor.get("/api/v1/models/?page_size=2").json()
    make_model(slug="late")
    assert [row["slug"] for row in rows(visitor, first["next"].partition("/api/v1/")[2])] == ["c", "d"]


def test_replies_standings_snapshots_and_a_comparison_without_what_is_sealed(visitor, board):
    yes, right = board
    replies = rows(visitor, f"runs/{yes.pk}/responses/")
    assert len(replies) == 16
    assert {reply["answer"] for reply in replies} == {"yes"}
    assert sum(reply["score"] for reply in replies) == 8
    assert {reply["score"] for reply in rows(visitor, f"runs/{right.pk}/responses/")} == {1.0}
    item = first_item(yes.pack).public_id
    assert [reply["item"] for reply in rows(visitor, f"runs/{yes.pk}/responses/?item={item}")] == [item]
    # standings are the figures of the board
    cells = {}
    shown = visitor.get("/api/v1/boards/grasp/").json()["rows"]
    for row in rows(visitor, "standings/?kind=run"):
        cells[row["name"]] = row["cells"]["level"]["1"]["score"]
    assert cells == {row["name"]: row["overall"]["score"] for row in shown if row["kind"] == "run"}
    # a comparison has the pages rows
    yes, right = board
    found = visitor.get(f"/api/v1/compare/?a=run-{yes.pk}&b=run-{right.pk}").json()
    assert found["rows"][0]["Difference"] == -50.0
    again = visitor.get(f"/api/v1/compare/?a=run-{yes.pk}&b=run-{yes.pk}")
    assert again.status_code == 409
    assert "same row twice" in again.json()["detail"]
    assert set(visitor.get("/api/v1/compare/").json()) == {"a", "b"}
    assert visitor.get(f"/api/v1/compare/?a=run-{yes.pk}&b=run-999999").status_code == 404
    # a frozen board is listed with its file
    frozen = store_snapshot(content_of(view_of(BENCHMARKS["grasp"], {})))
    (row,) = rows(visitor, "snapshots/")
    assert (row["slug"], row["sha256"]) == (frozen.slug, frozen.sha256)
    assert visitor.get(row["file"]).status_code == 200
    # a reply names its example by public id and not at all where that is sealed
    yes, _ = board
    first, example, sealed = yes.pack.items.order_by("public_id")[:3]
    ItemSeal.objects.create(item=sealed, by="trial:one")
    turns = [{"role": "user", "text": "…", "item": one.draw_key} for one in (example, sealed, first)]
    turns += [{"role": "model", "text": "yes"}]
    ModelResponse.objects.filter(cell__run=yes, cell__item=first).update(turns=turns)
    (reply,) = rows(visitor, f"runs/{yes.pk}/responses/?item={first.public_id}")
    assert [turn.get("item") for turn in reply["turns"]] == [example.public_id, "", first.public_id, None]
    # what a study seals is in no list
    yes, _right = board
    sealed = first_item(yes.pack)
    ItemSeal.objects.create(item=sealed, by="trial:open")
    assert sealed.public_id not in {item["public_id"] for item in rows(visitor, "items/")}
    assert sealed.public_id not in {reply["item"] for reply in rows(visitor, f"runs/{yes.pk}/responses/")}
    assert visitor.get(f"/api/v1/items/{sealed.public_id}/").status_code == 404


def test_private_runs_and_unseen_uploads_are_in_no_list(visitor, pack, db):
    run = make_run(pack, listing="private", model=make_model(kind="uploaded", slug="secret"))
    assert rows(visitor, "runs/") == rows(visitor, "models/") == []
    for address in (f"runs/{run.pk}/", f"runs/{run.pk}/responses/", "models/secret/"):
        assert visitor.get(f"/api/v1/{address}").status_code == 404
    # how a model is opened is nobodys business
    make_model(slug="served", kind="openai", options={"api_key": "hush-hush", "path": "/srv/secret"})
    assert "hush" not in visitor.get("/api/v1/models/served/").content.decode()
    assert "secret" not in visitor.get("/api/v1/models/").content.decode()


def test_votes_come_when_results_are_shown_and_name_nobody(visitor, study):
    found = visitor.get("/api/v1/trials/study/votes/")
    assert len(found.json()) == 6
    assert {vote["n"] for vote in found.json()} == {3}
    assert "study-0" not in found.content.decode()
    methods = visitor.get("/api/v1/trials/study/").json()["methods"]
    assert methods == asdict(visitor.get("/trials/study/").context["methods"])
    # an open study keeps its votes and its row
    refresh()
    assert len(rows(visitor, "standings/")) == 1
    study.state = TrialState.OPEN
    study.settings = {"seal": True}
    study.save()
    refusal = visitor.get("/api/v1/trials/study/votes/")
    assert refusal.status_code == 403
    assert "when the trial is closed" in refusal.json()["detail"]
    assert rows(visitor, "standings/") == []
    assert rows(visitor, "trials/")[0]["shows_results"] is False
    assert visitor.get("/api/v1/trials/study/").json()["methods"] is None
    assert visitor.get(f"/api/v1/items/{first_item(study.pack).public_id}/").json()["people"] == []
    # drafts are not told
    study.state = TrialState.DRAFT
    study.save()
    assert rows(visitor, "trials/") == []
    assert visitor.get("/api/v1/trials/study/").status_code == 404


def test_an_item_has_what_people_answered_and_how_sure_they_were(visitor, study):
    """Means by hand: steps 1, 2 and 4 of five; the item's page shows the same."""
    study.settings = {**study.settings, "confidence": "5"}
    study.save()
    item = study.pack.items.get(key="clip0")
    address = f"/api/v1/items/{item.public_id}/"
    for judgment, sure in zip(item.judgments.select_related("slot").order_by("pk"), (1, 2, 4), strict=True):
        FollowUp.objects.create(participant=judgment.participant, position=judgment.slot.position, confidence=sure)
    answer = visitor.get(address).json()
    (people,) = answer["people"]
    assert (people["trial"], people["counts"], people["majority"]) == ("study", {"no": 2, "yes": 1}, "no")
    assert (people["mean_confidence"], people["confidence_steps"]) == (pytest.approx(7 / 3), 5)
    assert answer["moments"] == []
    assert "mean confidence 2.3 of 5" in " ".join(visitor.get(item.get_absolute_url()).content.decode().split())
    unasked = study.pack.items.get(key="clip1")
    assert visitor.get(f"/api/v1/items/{unasked.public_id}/").json()["people"][0]["mean_confidence"] is None
    assert "mean confidence" not in visitor.get(unasked.get_absolute_url()).content.decode()
    set_expected(study.pack.items.filter(pk=item.pk), None)
    assert visitor.get(address).json()["people"] == []
    set_expected(study.pack.items.filter(pk=item.pk), "no")
    ItemSeal.objects.create(item=item, by="trial:open")
    assert visitor.get(address).status_code == 404


def test_csv_has_a_line_a_row_points_to_the_next_page_and_is_whole_by_itself(visitor, board, monkeypatch):
    answer = visitor.get("/api/v1/items/?format=csv&page_size=10")
    assert answer["Content-Type"].startswith("text/csv")
    *lines, last = answer.content.decode().splitlines()
    table = list(csv.DictReader(lines))
    assert len(table) == 10
    assert table[0]["facets.test"]
    assert 'rel="next"' in answer["Link"]
    assert last.startswith("# more rows follow: http")
    # csv is whole where json has a page
    monkeypatch.setattr(query, "PAGE", 5)
    assert len(rows(visitor, "items/")) == 5
    lines = visitor.get("/api/v1/items/?format=csv").content.decode().splitlines()
    assert len(list(csv.DictReader(lines))) == 16
    assert not lines[-1].startswith("#")


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("items/?page_size=0", "1 to 500"),
        ("items/?page_size=1000000", "1 to 500"),
        ("items/?page_size=ten", "1 to 500"),
        ("items/?cursor=nonsense", "`next` or `previous`"),
        ("items/?colour=red", "there is: benchmark, pack, kind"),
        ("items/?fields=expected", "there is: public_id"),
        ("items/?facet=shape", "NAME:VALUE"),
        ("items/?benchmark=atari", "not one of the available choices"),
        ("runs/?limit=3", "does not exist here"),
        ("models/?made_here=perhaps", "not one of the available choices"),
        ("standings/?kind=alien", "not one of the available choices"),
        ("boards/grasp/?level=7", "there is: 1, 2"),
        ("boards/grasp/?weather=fine", "does not exist here"),
        ("boards/atari/", "atari"),
        ("benchmarks/atari/", "atari"),
        ("items/?format=docx", "format=docx does not exist here; there is: json, csv"),
    ],
)
def test_a_mistake_is_named_and_what_exists_is_said(visitor, board, address, says):
    answer = visitor.get(f"/api/v1/{address}")
    assert 400 <= answer.status_code < 500
    assert says in json.dumps(answer.json())


def cursor(**parts):
    return b64encode(urlencode(parts).encode()).decode()


ODD = ["", "x", "-1", "0", "9" * 30, "-" + "9" * 30, "1.5", "1e3", "NaN", "²", "١٢", "a\0b", "\ud800", "x" * 3000]
ODD_CURSORS = [
    *ODD,
    *(cursor(p=text.encode("utf-8", "replace"), r=reverse) for text in ODD for reverse in (0, 1)),
    *(cursor(o=text.encode("utf-8", "replace")) for text in ODD),
    *(cursor(r=text.encode("utf-8", "replace")) for text in ("", "x", "9" * 5000)),
]


def lists():
    """Every call of the schema that has pages, with its parameters."""
    paths = SchemaGenerator().get_schema(public=True)["paths"]
    for path, methods in paths.items():
        names = [each["name"] for each in methods.get("get", {}).get("parameters", ()) if each["in"] == "query"]
        if "cursor" in names:
            yield path, names


PAGED = dict(lists())


@pytest.fixture
def unlimited(monkeypatch):
    monkeypatch.setattr("rest_framework.views.APIView.throttle_classes", [])


@pytest.mark.parametrize("path", PAGED)
def test_no_odd_parameter_of_a_list_is_an_error_of_the_server(visitor, board, unlimited, path):
    place = path.format(id=board[0].pk)
    for value in ODD_CURSORS:
        answer = visitor.get(place, {"cursor": value.encode("utf-8", "replace")})
        assert answer.status_code in (200, 400), (value[:80], answer.status_code)
    for name in PAGED[path]:
        for value in ODD:
            answer = visitor.get(place, {name: value.encode("utf-8", "replace")})
            assert answer.status_code < 500, (name, value[:80])


@pytest.mark.parametrize("text", ["x", "9" * 30, "1.5", "a\0b", ""])
@pytest.mark.parametrize("path", PAGED)
def test_a_cursor_that_is_no_key_is_a_mistake(visitor, board, unlimited, path, text):
    answer = visitor.get(path.format(id=board[0].pk), {"cursor": cursor(p=text)})
    is_text = path.endswith("/items/") and text not in ("a\0b", "9" * 30)  # its keys are letters, twelve at most
    assert (answer.status_code, "cursor" in answer.json()) == ((200, False) if is_text else (400, True))


def test_what_changed_is_sent_and_what_did_not_is_not_sent_again_and_nobody_writes(visitor, board):
    codes = {name: visitor.post(f"/api/v1/{name}/", {}).status_code for name in LISTS}
    assert set(codes.values()) <= {401, 403, 405}, codes
    # what changed is sent and what did not is not sent again
    pages = [*LISTS, "boards", "benchmarks", "boards/grasp", "benchmarks/grasp"]
    tags = {name: visitor.get(f"/api/v1/{name}/")["ETag"] for name in pages}
    again = {name: visitor.get(f"/api/v1/{name}/", headers={"if-none-match": tags[name]}) for name in pages}
    assert {name: (page.status_code, page.content) for name, page in again.items()} == dict.fromkeys(pages, (304, b""))
    make_model()
    assert visitor.get("/api/v1/models/", headers={"if-none-match": tags["models"]}).status_code == 200


def test_who_calls_too_often_is_told_when_to_come_back(visitor, db, monkeypatch):
    caches["limits"].clear()
    monkeypatch.setattr("rest_framework.throttling.AnonRateThrottle.get_rate", lambda self: "2/min")
    codes = [visitor.get("/api/v1/benchmarks/").status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert int(visitor.get("/api/v1/benchmarks/")["Retry-After"]) <= 60
    forged = {"x-forwarded-for": "203.0.113.9"}
    assert visitor.get("/api/v1/benchmarks/", headers=forged).status_code == 429  # there is no proxy of ours
