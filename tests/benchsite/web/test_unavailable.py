"""A database that is locked for too long, or away, gets its own error page."""

import json
import sqlite3

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.urls import path


def locked(request, tmp_name):
    """A view that gets a real OperationalError of a locked database from Django."""
    holder = sqlite3.connect(tmp_name, isolation_level=None)
    holder.execute("CREATE TABLE IF NOT EXISTS answers (text)")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        sqlite3.connect(tmp_name, timeout=0).execute("INSERT INTO answers VALUES ('yes')")
    except sqlite3.OperationalError as error:
        raise OperationalError(*error.args) from error
    finally:
        holder.close()
    return HttpResponse("written")


def broken(request, what):
    raise OperationalError(what)


urlpatterns = [
    path("locked/<path:tmp_name>/", locked),
    path("api/locked/<path:tmp_name>/", locked),
    path("broken/<str:what>/", broken),
]


@pytest.fixture
def visitor(settings):
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_locked_database_asks_people_to_come_again(visitor, tmp_path, method):
    answer = getattr(visitor, method)(f"/locked/{tmp_path / 'db'}/")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "Nothing that you had saved is lost" in answer.content.decode()


def test_programs_are_told_in_json(visitor, tmp_path):
    answer = visitor.get(f"/api/locked/{tmp_path / 'db'}/")
    assert answer.status_code == 503
    assert "Ask again in 5 seconds" in json.loads(answer.content)["detail"]


@pytest.mark.parametrize("what", ["no such table: answers", 'near "SELEC": syntax error'])
def test_a_fault_of_ours_stays_one(visitor, what):
    assert visitor.get(f"/broken/{what}/").status_code == 500
