"""Maintenance: pages say until when, nothing is written, and participants' answers are accepted afterwards."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from benchmarks.commands import CallerMistake
from benchsite.celery import app
from benchsite.maintenance import state, workers
from benchsite.models import Maintenance
from evaluation.models import Shard, ShardState
from evaluation.runs.lifecycle import start_run
from evaluation.workers import loop
from humantrials.assignment.claims import claim_sheet
from humantrials.models import Sheet
from tests.factories import make_item, make_model, make_pack
from tests.humantrials.fixtures import consented, physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def looked_at_anew(monkeypatch):
    monkeypatch.setattr(state, "GLANCE", 0.0)
    state.forget()


def say(*arguments: object, **options: object) -> dict:
    out = StringIO()
    call_command("maintenance", *map(str, arguments), stdout=out, as_json=True, **options)
    return json.loads(out.getvalue())


def test_readers_are_told_until_when_also_where_a_page_was_kept(client):
    assert client.get("/leaderboard/grasp/").status_code == 200
    said = say("on", minutes=30, note="The database moves.")
    for address in ("/", "/leaderboard/grasp/", "/no-such-page/", "/admin/", "/accounts/login/"):
        answer = client.get(address)
        assert answer.status_code == 503, address
        assert 1700 < int(answer.headers["Retry-After"]) <= 1800
        assert answer.headers["Cache-Control"] == "no-store"
        text = answer.content.decode()
        assert said["until"][:16].replace("T", " ") in text
        assert "The database moves." in text
    assert "wait in this browser" not in text
    say("off")
    assert client.get("/leaderboard/grasp/").status_code == 200


def test_machines_that_watch_are_answered(client):
    say("on")
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 200
    assert "benchsite_maintenance 1.0" in client.get("/metrics").content.decode()


def test_visits_meanwhile_are_no_errors_in_the_log(client, lines):
    say("on")
    client.get("/")
    assert [line["logger"] for line in lines.all(status=503)] == ["benchsite.observability.request_middleware"]
    assert lines.all(level="error") == []


def test_programs_are_told_in_json(client):
    say("on", note="Back soon.")
    answer = client.get("/api/v1/packs/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, str(30))
    assert answer.json() == {
        "detail": "The site is under maintenance. Ask again in 30 seconds.",
        "until": None,
        "note": "Back soon.",
    }


@pytest.mark.parametrize(("language", "word"), [("de", "Wir sind bald zurück"), ("ar", "سنعود قريبًا")])
def test_participants_read_it_in_their_language(client, language, word):
    """With the staff's own note in its direction, and the date from left to right."""
    said = say("on", minutes=30, note="We move.")
    answer = client.get("/t/any/", headers={"accept-language": language}).content.decode()
    assert word in answer
    assert f'lang="{language}"' in answer
    assert ('dir="rtl"' in answer) is (language == "ar")
    assert '<p dir="auto">We move.</p>' in answer
    until = said["until"][:16].replace("T", " ")
    assert f"<bdi dir='ltr'>{until}</bdi>" in answer
    assert "benchsite" not in answer.split("<body>")[1]


def test_an_answer_is_refused_without_harm_and_taken_afterwards(client):
    walker = Walker(client, running_trial(physics_pack(tests=2), replicates=1)).reach_trials()
    fields = {"position": str(walker.reader.positions[0]), "answer": "yes"}
    say("on")
    refused = client.post(f"{walker.road}answer/", fields, headers={"accept": "application/json"})
    assert refused.status_code == 503
    say("off")
    assert walker.person.judgments.count() == 0
    assert client.post(f"{walker.road}answer/", fields, headers={"accept": "application/json"}).status_code == 200
    assert walker.person.judgments.count() == 1


def test_a_place_in_a_study_is_kept_as_long_as_the_site_was_away():
    trial = running_trial(physics_pack(tests=2), replicates=1)
    held, run_out = (claim_sheet(participant=consented(trial)) for _ in range(2))
    now = timezone.now()
    say("on")
    Maintenance.objects.update(since=now - timedelta(hours=2))
    Sheet.objects.filter(pk=held.pk).update(lease_until=now - timedelta(minutes=100))
    Sheet.objects.filter(pk=run_out.pk).update(lease_until=now - timedelta(minutes=121))
    assert say("off") == {"on": False, "sheets_kept": 1}
    held.refresh_from_db(), run_out.refresh_from_db()
    assert timedelta(minutes=19) < held.lease_until - now < timedelta(minutes=21)
    assert run_out.lease_until < now


def test_it_can_be_announced_anew_and_ended_twice():
    first = say("on", minutes=5)
    second = say("on", minutes=60, note="It takes longer.")
    assert second["since"] == first["since"]
    assert second["until"] > first["until"]
    assert say("status")["note"] == "It takes longer."
    assert say("off")["on"] is say("off")["on"] is say("status")["on"] is False


def test_the_setting_asks_no_database(client, settings, django_assert_num_queries):
    settings.MAINTENANCE = True
    with django_assert_num_queries(0):
        assert client.get("/").status_code == 503


@pytest.mark.parametrize("minutes", [0, -5, 20_000])
def test_a_time_that_cannot_be_is_refused(minutes):
    with pytest.raises(CallerMistake, match="--minutes"):
        say("on", minutes=minutes)
    assert not Maintenance.objects.exists()


def test_waiting_ends_with_what_is_still_held(monkeypatch):
    pack = make_pack()
    make_item(pack)
    start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only")
    Shard.objects.update(state=ShardState.LEASED, lease_until=timezone.now() + timedelta(seconds=60))
    monkeypatch.setattr("benchsite.management.commands.maintenance.PATIENCE", 0.1)
    with pytest.raises(CommandError, match="'shards': 1"):
        say("on", wait=True)
    Shard.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert say("on", wait=True)["held"] == {}


def test_tasks_do_nothing_while_it_lasts(monkeypatch):
    done = []

    @app.task(name="tests.note", shared=False)
    def note():
        done.append(1)

    say("on")
    note()
    assert done == []
    say("off")
    note()
    assert done == [1]


def test_a_worker_lays_down_its_run_and_goes_on_afterwards(monkeypatch):
    monkeypatch.setattr(workers.connection, "close", lambda: None)  # the thread's own; here it is the test's
    pack = make_pack()
    make_item(pack)
    run = start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only")
    say("on")
    assert workers.look(False) is True
    loop.work()
    run.refresh_from_db()
    assert run.state == "queued"
    say("off")
    assert workers.look(True) is False
    loop.work()
    run.refresh_from_db()
    assert run.state == "finished"
