"""A database that is locked or away, and a full disk, ask to come again; a fault of ours stays one."""

import errno
import json
import sqlite3

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.urls import path

RAISED = {
    "full": OSError(errno.ENOSPC, "No space left on device"),
    "busy": OperationalError("database or disk is full"),
    "table": OperationalError("no such table: answers"),
    "syntax": OperationalError('near "SELEC": syntax error'),
    "forbidden": OSError(errno.EACCES, "Permission denied"),
}


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
    raise RAISED[what]


urlpatterns = [
    path("locked/<path:tmp_name>/", locked),
    path("api/locked/<path:tmp_name>/", locked),
    path("broken/<str:what>/", broken),
    path("api/broken/<str:what>/", broken),
]


@pytest.fixture
def visitor(settings):
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


def test_a_locked_database_asks_people_and_programs_to_come_again(visitor, tmp_path):
    for method in (visitor.get, visitor.post):
        answer = method(f"/locked/{tmp_path / 'db'}/")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
        assert "Nothing that you had saved is lost" in answer.content.decode()
    answer = visitor.get(f"/api/locked/{tmp_path / 'db'}/")
    assert answer.status_code == 503
    assert "Ask again in 5 seconds" in json.loads(answer.content)["detail"]


@pytest.mark.parametrize("what", RAISED)
def test_no_room_asks_to_come_again_and_a_fault_of_ours_stays_one(visitor, what):
    for address in (f"/broken/{what}/", f"/api/broken/{what}/"):
        answer = visitor.post(address)
        assert answer.status_code == (503 if what in ("full", "busy") else 500)
        assert ("Retry-After" in answer.headers) is (what in ("full", "busy"))
