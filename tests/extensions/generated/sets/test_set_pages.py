"""Pages of clip sets and rounds: who sees what, uploads at once and in parts, decisions with their public lines."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import new_token
from accounts.roles import Role
from benchmarks.definitions.registry import BENCHMARKS
from extensions.generated.clipsets import checking
from extensions.generated.models import ClipSet, ClipSetState, RatingRound
from extensions.generated.pages import rounds as rounds_page
from extensions.generated.rounds.make_round import make_ordered
from tests.extensions.generated.sets.folders import clip_set_folder, zipped
from tests.markup import text_of

pytestmark = pytest.mark.django_db
API = "/api/v1/clipsets/"
SETS, ROUNDS = "/leaderboard/generated/sets/", "/leaderboard/generated/rounds/"


@pytest.fixture
def author(client, django_user_model):
    user = django_user_model.objects.create_user("author", role=Role.AUTHOR)
    client.force_login(user)
    return client


@pytest.fixture
def sent(author, pack, tmp_path, uploads_at_once, django_capture_on_commit_callbacks):
    """Sends a folder as a ZIP at once; returns the set's page."""

    def send(**fields):
        archive = SimpleUploadedFile("set.zip", zipped(clip_set_folder(tmp_path / str(len(fields)), **fields)))
        posted = {"pack": "falling", "archive": archive, "right": "on"}
        with django_capture_on_commit_callbacks(execute=True):
            reply = author.post(SETS, posted)
        return author.get(reply.url, follow=True)

    return send


def test_list_shows_what_is_listed_and_one_s_own_sets(listed, client, author, admin_client):
    ClipSet.objects.filter(pk=listed[1].pk).update(state=ClipSetState.CHECKED)
    assert "Veo 9" not in text_of(author.get(SETS))
    assert "Veo 9 1 Falling things 2 checked" in text_of(admin_client.get(SETS))
    assert author.get(f"{SETS}veo-9-1/").status_code == 404
    client.logout()
    page = client.get(SETS)
    assert "Sora 9 1 Falling things 2 listed" in text_of(page)
    assert "Upload" not in text_of(page)
    assert client.post(SETS).status_code == 403


def test_set_sent_at_once_is_checked_and_has_its_address(sent):
    page = sent()
    assert page.redirect_chain[-1][0] == f"{SETS}sora-9-1/"
    text = text_of(page)
    assert "Every clip is stored; a member of staff lists it." in text
    assert "Best of N 1: every clip that was made is here" in text
    assert "Lint: no errors, no notes" in text
    assert "SHA-256" in text
    assert "checked: 2 clips without errors" in text
    assert "A cup slides off a table." in text


def test_refused_set_names_errors_with_what_to_do(sent):
    text = text_of(sent(fps=30))
    assert "2 errors" in text
    assert "manifest.csv, line 2 &#x27;clips/a.mp4&#x27; has 24 pictures a second, the card says 30" in text
    assert "Encode it at the card’s rate, or correct the card." in text.replace("&#x27;", "’").replace("'", "’")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"right": ""}, "This field is required."),
        ({"archive": ""}, "Choose the ZIP of the clip set."),
        ({"pack": "flying"}, "Select a valid choice."),
        ({"archive": SimpleUploadedFile("x.zip", b"")}, "The submitted file is empty."),
    ],
)
def test_incomplete_form_says_what_is_missing(author, pack, change, said):
    posted = {"pack": "falling", "archive": SimpleUploadedFile("set.zip", b"x"), "right": "on"} | change
    page = author.post(SETS, posted)
    assert page.status_code == 422
    assert said in text_of(page)
    assert not ClipSet.objects.exists()


def test_parts_go_on_where_they_broke_off(author, pack, tmp_path, uploads_at_once, django_capture_on_commit_callbacks):
    content = zipped(clip_set_folder(tmp_path / "set", fps=30))
    begun = {"pack": "falling", "name": "set.zip", "size": len(content), "right": "on"}
    first = author.post(API, begun).json()

    def put(start, body, by=author, **headers):
        place = {"HTTP_CONTENT_RANGE": f"bytes {start}-{start + len(body) - 1}/{len(content)}"} | headers
        return by.put(first["address"], body, content_type="application/octet-stream", **place)

    assert put(0, content[:500]).json() == first | {"received": 500}
    assert f"500 bytes of {len(content) / 1024:.1f}" in text_of(author.get(first["page"])).replace("\xa0", " ")
    assert author.post(API, begun).json() == first | {"received": 500}
    late = put(900, content[900:])
    assert (late.status_code, late.json()["received"]) == (409, 500)
    assert put(500, b"").status_code == 422
    assert put(0, b"x", HTTP_CONTENT_RANGE="bytes */9").status_code == 400
    with django_capture_on_commit_callbacks(execute=True):
        assert put(500, content[500:]).json()["received"] == len(content)
    found = author.get(first["address"]).json()
    assert (found["state"], found["findings"][0]["place"]) == ("refused", "manifest.csv, line 2")


WRONG = {"size": (10**11, 422, "detail"), "pack": ("flying", 400, "pack"), "right": ("", 400, "right")}


@pytest.mark.parametrize("field", WRONG)
def test_upload_in_parts_is_refused_with_the_field_named(author, pack, field):
    value, status, named = WRONG[field]
    refused = author.post(API, {"pack": "falling", "name": "set.zip", "size": 9, "right": "on"} | {field: value})
    assert (refused.status_code, *refused.json()) == (status, named)


def test_nobody_adds_parts_to_another_s_upload(author, pack, client, django_user_model):
    begun = {"pack": "falling", "name": "set.zip", "size": 100, "right": "on"}
    first = author.post(API, begun).json()
    found = {}
    for role in (Role.READER, Role.AUTHOR):
        key = new_token(user=django_user_model.objects.create_user(f"new {role}", role=role), name="client")
        headers = {"Authorization": f"Token {key}", "Content-Range": "bytes 0-0/100"}
        answers = (Client().post(API, begun, headers=headers), Client().put(first["address"], b"x", headers=headers))
        found[role] = [answer.status_code for answer in answers]
    assert found == {Role.READER: [403, 403], Role.AUTHOR: [201, 404]}
    assert Client().post(API, begun).status_code == 401
    page = Client(enforce_csrf_checks=True)
    page.force_login(django_user_model.objects.get(username="new author"))
    assert (page.post(API, begun).status_code, page.get(first["page"]).status_code) == (403, 404)


def test_page_shows_how_far_the_check_is(sent, author, monkeypatch):
    monkeypatch.setattr(checking, "carry_out", lambda pk: None)
    page = sent()
    clip_set = ClipSet.objects.get()
    assert "It waits for a worker." in text_of(page)
    ClipSet.objects.update(state=ClipSetState.CHECKING, clips_done=31, clips_total=48)
    page = author.get(clip_set.get_absolute_url())
    assert "31 of 48 clips checked." in text_of(page)
    assert 'data-live-part=""' in page.content.decode()


def decide(client, clip_set, **posted):
    return client.post(f"{SETS}{clip_set.slug}/decision/", posted, follow=True)


def test_staff_list_dispute_and_withdraw_before_everybody(sent, admin_client, client):
    sent()
    clip_set = ClipSet.objects.get()
    assert decide(client, clip_set, act="list").status_code == 403
    assert "A row of the board of" in text_of(decide(admin_client, clip_set, act="list"))
    decide(admin_client, clip_set, act="dispute", asked_by="Makers of Sora", what="Clip ball is cut; it is not.")
    assert "say who asked" in text_of(decide(admin_client, clip_set, act="dispute", what="x"))
    client.logout()
    assert "Clip ball is cut; it is not. (Makers of Sora)" in text_of(client.get(clip_set.get_absolute_url()))
    assert "say why" in text_of(decide(admin_client, clip_set, act="withdraw"))
    text = text_of(decide(admin_client, clip_set, act="withdraw", what="wrong weights"))
    assert "withdrawn: wrong weights (staff of this site)" in text
    public = text_of(client.get(clip_set.get_absolute_url()))
    assert "Withdrawn: it is on no board." in public
    assert "A ball falls" not in public


def test_uploader_withdraws_and_can_do_nothing_else(sent, client):
    sent()
    clip_set = ClipSet.objects.get()
    assert decide(client, clip_set, act="dispute", asked_by="me", what="x").status_code == 403
    assert "withdrawn: a mistake (its uploader)" in text_of(decide(client, clip_set, act="withdraw", what="a mistake"))


@pytest.fixture
def rounds_at_once(monkeypatch):
    monkeypatch.setattr(rounds_page, "queue_task", lambda task, pk: make_ordered(pk))
    yield
    BENCHMARKS.put_files({})


def test_staff_make_a_round_and_are_led_to_its_studies(
    listed, admin_client, rounds_at_once, django_capture_on_commit_callbacks
):
    posted = {"title": "Autumn", "sets": ["sora-9-1", "veo-9-1"], "kinds": ["clip", "pair"]}
    with django_capture_on_commit_callbacks(execute=True):
        page = admin_client.post(f"{ROUNDS}?pack=falling", posted, follow=True)
    assert "Autumn is being made." in text_of(page)
    page = admin_client.get(ROUNDS)
    assert "Autumn autumn Falling things Sora 9 1 , Veo 9 1 12" in text_of(page)
    made = RatingRound.objects.get()
    assert f"/trials/new/?protocol=falling-rate&amp;pack={made.questions_id}" in page.content.decode()
    assert "falling-break" not in page.content.decode()
    assert made.asked_clips.count() == 16


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"title": "—"}, "the title needs letters"),
        ({"sets": ["sora-9-1"]}, "pairs need two clip sets"),
        ({"sets": ["other"]}, "Select a valid choice"),
        ({"kinds": []}, "This field is required."),
    ],
)
def test_round_that_can_t_be_made_is_refused_on_the_page(listed, admin_client, change, said):
    posted = {"title": "Autumn", "sets": ["sora-9-1", "veo-9-1"], "kinds": ["clip", "pair"]} | change
    page = admin_client.post(f"{ROUNDS}?pack=falling", posted)
    assert page.status_code == 422
    assert said in text_of(page)


def test_page_of_rounds_is_the_staff_s(author, pack):
    assert author.get(ROUNDS).status_code == 403


def test_page_of_rounds_without_sets_says_what_it_needs(admin_client, pack):
    assert "A round needs listed clip sets" in text_of(admin_client.get(ROUNDS))
