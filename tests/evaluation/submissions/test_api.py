"""Uploads by programs, with an API key from the account page."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User, new_token
from evaluation.models import Model, Run
from tests.evaluation.submissions.uploads import good_file, header, stored

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/submissions/"


@pytest.fixture
def key(user):
    return new_token(user=user, name="script")


def post(client, content, key=None, **fields):
    headers = {"Authorization": f"Token {key}"} if key else {}
    return client.post(ADDRESS, {"file": SimpleUploadedFile("a.jsonl", content), **fields}, headers=headers)


def test_a_good_file_is_stored_and_a_taken_name_is_a_conflict(client, pack, key):
    answer = post(client, good_file(pack), key)
    found = {"ok": True, "rows": 4, "score": 0.5, "parser": "as-given 1", "notes": [], "problems": []}
    expected = found | {"run": Run.objects.get().pk, "listing": "private"}
    assert (answer.status_code, answer.json()) == (201, expected)
    stored(pack, User.objects.create_user("bea"), model="Of Bea")
    assert post(client, good_file(pack, model="Of Bea"), key).status_code == 409
    table = b"item,answer\n" + b"".join(b"small%d,yes\n" % number for number in range(4))  # its header is in fields
    assert post(client, table, key, **header(pack)).status_code == 201


def test_a_wrong_file_is_answered_with_its_problems_and_not_stored(client, pack, key):
    answer = post(client, b"<html>", key)
    problem = {"line": 1, "item": None, "what": "the file is a web page, not a file of answers"}
    assert (answer.status_code, answer.json()["problems"]) == (422, [problem])
    assert not Model.objects.exists()
    nothing = client.post(ADDRESS, {}, headers={"Authorization": f"Token {key}"})
    assert (nothing.status_code, list(nothing.json())) == (400, ["file"])


def test_without_a_live_key_or_a_csrf_token_nothing_is_taken(client, pack, user):
    for key in (None, "wrong", "ü", ""):
        assert post(client, good_file(pack), key).status_code == 401
    page = Client(enforce_csrf_checks=True)
    page.force_login(user)
    assert post(page, good_file(pack)).status_code == 403
    assert not Model.objects.exists()


def test_a_check_says_the_same_and_stores_nothing(client, pack, key, user):
    good = post(client, good_file(pack), key, check="true")
    found = {"ok": True, "rows": 4, "score": 0.5, "parser": "as-given 1", "notes": [], "problems": []}
    assert (good.status_code, good.json()) == (200, found)
    wrong = [post(client, b"<html>", key, check=check) for check in ("true", "false")]
    assert [answer.status_code for answer in wrong] == [422, 422]
    assert wrong[0].json() == wrong[1].json()
    stored(pack, User.objects.create_user("bea"), model="Of Bea")
    taken = [post(client, good_file(pack, model="Of Bea"), key, check=check) for check in ("true", "false")]
    assert [answer.status_code for answer in taken] == [409, 409]
    assert not Run.objects.filter(owner=user).exists()


def test_a_score_is_that_at_the_upload_or_of_answers_that_came_since(client, pack, key, user):
    early, late = stored(pack, user), stored(pack, user, model="Another")
    for run, score in ((early, None), (late, 0.25)):
        run.card["lint"]["score"] = score
        run.save()
    listed = client.get(ADDRESS, headers={"Authorization": f"Token {key}"}).json()
    assert [(one["run"], one["score"]) for one in listed] == [(late.pk, 0.25), (early.pk, 0.5)]
