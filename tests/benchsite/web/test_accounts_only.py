"""Participants' pages use no accounts, and have every required header."""

import pytest
from django.db import OperationalError

from accounts.models import Act
from humantrials.participation import views
from tests.humantrials.fixtures import newcomer, physics_pack, running_trial

pytestmark = pytest.mark.django_db


@pytest.fixture
def road():
    """The address of a participant after entry."""
    return f"/p/{newcomer(running_trial(physics_pack(tests=2, clips=1))).token}/"


def test_a_participants_page_reads_no_session_and_has_all_headers(admin_client, road):
    page = admin_client.get(road, headers={"accept-language": "de"})
    assert page.status_code == 200
    assert not page.cookies
    assert "session" not in page.headers.get("Vary", "").lower()
    assert not hasattr(page.wsgi_request, "session")
    assert page.headers["X-Frame-Options"] == "DENY"
    assert page.headers["Content-Length"] == str(len(page.content))
    wanted = {"Content-Security-Policy", "Permissions-Policy", "Content-Language", "X-Request-ID", "Referrer-Policy"}
    assert wanted <= set(page.headers)


def test_what_staff_do_as_participants_is_in_no_audit_log(admin_client, road):
    before = Act.objects.count()
    assert admin_client.post(road, {"step": "consent", "choice": "no"}).status_code == 302
    assert Act.objects.count() == before


def test_other_addresses_go_the_long_way(client, road):
    assert hasattr(client.get("/").wsgi_request, "session")
    assert client.get(f"{road}nothing/here/").status_code == 404
    assert client.get(road.rstrip("/")).headers["Location"] == road


def test_a_busy_database_is_a_reason_to_come_back(client, road, monkeypatch):
    def busy(token):
        raise OperationalError("database is locked")

    monkeypatch.setattr(views, "participant_of", busy)
    page = client.post(f"{road}answer/", {"position": "0"}, headers={"accept": "application/json"})
    assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
    assert page.json()
