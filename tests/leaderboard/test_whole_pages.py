"""Boards kept as whole pages: the same to the byte, for visitors alone, and drawn anew when a figure moved."""

import gzip

import pytest
from django.db import OperationalError

from leaderboard.models import Standing

pytestmark = [pytest.mark.django_db, pytest.mark.issue("E")]
BOARD = "/leaderboard/grasp/"


def test_a_kept_page_is_sent_packed_or_not_at_all(client, board):
    fresh = client.get(BOARD).content
    plain, packed = client.get(BOARD), client.get(BOARD, headers={"accept-encoding": "gzip"})
    assert plain.content == gzip.decompress(packed.content) == fresh
    assert (packed["Content-Encoding"], "Content-Encoding" in plain) == ("gzip", False)
    assert {"Cookie", "Accept-Encoding"} <= set(plain["Vary"].replace(" ", "").split(","))
    assert client.get(BOARD, headers={"if-none-match": plain["ETag"]}).status_code == 304
    refreshed = Standing.objects.first()
    refreshed.save()  # its time moves, as when answers changed
    assert client.get(BOARD, headers={"if-none-match": plain["ETag"]}).status_code == 200


def test_a_kept_page_has_the_head_of_a_fresh_one(client, board):
    client.get(BOARD)
    kept, fresh = client.get(BOARD), client.get(BOARD, headers={"cookie": "seen=1"})
    assert "ETag" not in fresh
    assert {name: kept[name] for name in fresh.headers if name != "Vary"} == {
        name: fresh[name] for name in fresh.headers if name != "Vary"
    }
    assert {"Content-Security-Policy", "X-Frame-Options", "Content-Language", "Content-Length"} <= set(fresh.headers)


def test_what_stands_within_a_search_is_no_other_parameter(client, board):
    searched = client.get(BOARD, {"search": "right&sort=-overall"})
    assert searched.content != client.get(BOARD, {"search": "right", "sort": "-overall"}).content


def test_a_kept_page_is_nobodys_own(client, board, django_user_model):
    client.get(BOARD)
    client.force_login(django_user_model.objects.create_user("ada"))
    own = client.get(BOARD)
    assert "ada" in own.content.decode()
    client.logout()
    assert "ada" not in client.get(BOARD).content.decode()
    assert 'lang="en"' in client.get(BOARD, headers={"accept-language": "de"}).content.decode()


def test_a_database_that_is_away_is_told_as_such(client, board, monkeypatch):
    def away(slug):
        raise OperationalError("database is locked")

    for module in ("whole_pages", "views"):
        monkeypatch.setattr(f"leaderboard.{module}.version_of", away)
    assert client.get(BOARD).status_code == 503
