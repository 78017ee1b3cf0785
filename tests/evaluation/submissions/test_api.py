"""Uploads by programs, with an API key from the account page."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User, new_token
from evaluation.models import Model, Run
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import good_file, header, small_pack, upload

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/submissions/"


@pytest.fixture
def pack(db):
    return small_pack()


@pytest.fixture
def key(db):
    return new_token(user=User.objects.create_user("ada"), name="script")


def post(client, content, key=None, **fields):
    headers = {"Authorization": f"Token {key}"} if key else {}
    return client.post(ADDRESS, {"file": SimpleUploadedFile("a.jsonl", content), **fields}, headers=headers)


def test_a_good_file_is_stored(client, pack, key):
    answer = post(client, good_file(pack), key)
    found = {"ok": True, "rows": 4, "score": 0.5, "parser": "as-given 1", "notes": [], "problems": []}
    expected = found | {"run": Run.objects.get().pk, "listing": "private"}
    assert (answer.status_code, answer.json()) == (201, expected)


def test_a_table_takes_its_header_from_the_fields(client, pack, key):
    table = b"item,answer\n" + b"".join(b"small%d,yes\n" % number for number in range(4))
    assert post(client, table, key, **header(pack)).status_code == 201


def test_a_wrong_file_is_answered_with_its_problems_and_not_stored(client, pack, key):
    answer = post(client, b"<html>", key)
    problem = {"line": 1, "item": None, "what": "the file is a web page, not a file of answers"}
    assert (answer.status_code, answer.json()["problems"]) == (422, [problem])
    assert not Model.objects.exists()


def test_a_taken_name_is_a_conflict(client, pack, key):
    submit(file=upload(good_file(pack)), user=User.objects.create_user("bea"))
    assert post(client, good_file(pack), key).status_code == 409


def test_without_a_file_the_field_is_named(client, key):
    answer = client.post(ADDRESS, {}, headers={"Authorization": f"Token {key}"})
    assert (answer.status_code, list(answer.json())) == (400, ["file"])


@pytest.mark.parametrize("key", [None, "wrong", "ü", ""])
def test_without_a_live_key_nothing_is_taken(client, pack, key, db):
    assert post(client, good_file(pack), key).status_code == 401
    assert not Model.objects.exists()


def test_signed_in_pages_need_their_csrf_token(pack, django_user_model):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(django_user_model.objects.create_user("ada"))
    assert post(client, good_file(pack)).status_code == 403
