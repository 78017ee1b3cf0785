"""Log lines name their request, run or socket, and never identify a person."""

import logging
import re
import time
from types import SimpleNamespace

import pytest
import structlog
from asgiref.sync import async_to_sync
from channels.testing import WebsocketCommunicator
from django.db import IntegrityError
from django.test import Client

from accounts.models import User, new_token
from benchsite.asgi import application
from benchsite.logs import celery_processes
from benchsite.logs.logging import HIDDEN, formatter, scrub
from evaluation.workers.loop import work_on
from humantrials.models.identity import Identity
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
PERSON, PASSWORD, ADDRESS, WRONG = "5f3a9c0d1e2b", "a long password 1", "203.0.113.77", "not the password"


@pytest.fixture
def careful(settings):
    """The most verbose settings, so that a secret could reach the log."""
    settings.DEBUG_PROPAGATE_EXCEPTIONS = False
    return Client(raise_request_exception=False, REMOTE_ADDR=ADDRESS)


def test_people_and_secrets_are_in_no_line_of_a_whole_day(careful, lines, monkeypatch):
    trial = running_trial(physics_pack(tests=2))
    walker = Walker(careful, trial, name=PERSON).reach_trials().answer()
    person = walker.person
    careful.get(f"/p/{person.token}/nowhere/")
    careful.post("/withdraw/", {"code": person.receipt_code})
    user = User.objects.create_user("somebody-known", "somebody@example.org", PASSWORD)
    careful.post("/accounts/login/", {"login": user.username, "password": WRONG}, follow=True)
    careful.post("/accounts/login/", {"login": user.email, "password": PASSWORD}, follow=True)
    key = new_token(user=user, name="daily")
    careful.get("/api/v1/submissions/", headers={"authorization": f"Token {key}"})
    careful.post(f"/api/v1/submissions/?key={key}", {"file": ""}, headers={"authorization": f"Token {key}"})
    monkeypatch.setattr("humantrials.participation.views.record_judgment", stumble(person, user))
    answer = {"position": "0", "answer": "yes", "seconds": "2"}
    assert walker.client.post(f"{walker.road}answer/", answer).status_code == 500
    assert Identity.objects.get(participant=person).external_id == PERSON
    secrets = {PERSON, PASSWORD, WRONG, ADDRESS, key, user.email, user.username, person.token}
    secrets |= {person.receipt_code, person.completion_code, person.partial_code}
    secrets |= {cookie.value for cookie in careful.cookies.values()}
    assert lines.all(page="road-answer", status=500)
    assert "Traceback" in lines.text
    assert [secret for secret in secrets - {""} if secret in lines.text] == []


def stumble(person, user):
    """An exception whose message contains everything that must not be logged."""

    def record_judgment(**given):
        raise IntegrityError(
            f"duplicate key\nDETAIL:  Key (participant_id, external_id)=({person.pk}, {PERSON}) already exists. "
            f"{user.email} at {ADDRESS} on /p/{person.token}/?participant={PERSON}"
        )

    return record_judgment


TELLING = {
    "GET /p/abcDEF-123/answer/": "abcDEF-123",
    "/t/people/?PROLIFIC_PID=5f3a9c&STUDY_ID=1": "5f3a9c",
    "postgres://site:hunter2@db:5432/site": "hunter2",
    "Authorization: Token abcdef123456": "abcdef123456",
    "from 192.0.2.17 to us": "192.0.2.17",
    "192.0.2.17": "192.0.2.17",
    "jo.doe@example.org": "jo.doe",
    "a letter to jo.doe@example.org failed": "jo.doe",
    "DETAIL:  Key (token)=(s3cret) already exists.": "s3cret",
    "DETAIL:  Failing row contains (1, anna, 2).": "anna",
}


def test_what_tells_somebody_is_taken_out_of_any_text_and_the_rest_stays():
    shown = {text: str(scrub({"values": [{"note": text}], "plain": 1})) for text in TELLING}
    assert [text for text, said in shown.items() if TELLING[text] in said or HIDDEN not in said] == []
    given = {"api_key": "x1", "External-ID": "x2", "n": 3, "nested": {"password": "x4", "kept": None}}
    kept = {"n": 3, "nested": {"password": HIDDEN, "kept": None}}
    assert scrub(given) == {"api_key": HIDDEN, "External-ID": HIDDEN} | kept
    text = "shard 3 of run 17: ValueError: 2.5 is not in [0, 1] (evaluation/workers/recording.py)"
    assert scrub(text) == text


@pytest.mark.parametrize(("proxies", "is_taken"), [(1, True), (0, False)])
def test_only_a_proxy_of_ours_may_name_a_request(client, settings, proxies, is_taken):
    settings.PROXIES = proxies
    answer = client.get("/healthz", headers={"x-request-id": "from-the-proxy-1"})
    assert (answer.headers["X-Request-ID"] == "from-the-proxy-1") is is_taken
    strange = client.get("/healthz", headers={"x-request-id": "{jndi}\nnew line"})
    assert re.fullmatch(r"[0-9a-f]{32}", strange.headers["X-Request-ID"])


def test_lines_of_a_worker_say_which_run_and_shard(lines, monkeypatch, queued):
    def break_down(**given):
        raise ZeroDivisionError("of the test")

    monkeypatch.setattr("evaluation.workers.loop.answer_shard", break_down)
    work_on(queued.pk)
    trouble = lines.all(logger="evaluation.workers.loop", run=queued.pk, shard=0)
    assert trouble
    assert "ZeroDivisionError: of the test" in trouble[0]["exception"]


def test_the_page_of_a_run_belongs_to_the_run(client, lines, queued):
    mark = client.get(f"/runs/{queued.pk}/").headers["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{32}", mark)
    assert [line["run"] for line in lines.all(event="request", page="run", request=mark)] == [queued.pk]
    client.get("/healthz")
    assert "run" not in lines.all(event="request")[-1]


@pytest.mark.django_db(transaction=True)
def test_a_websocket_has_an_id_and_a_last_line(lines):
    async def listen() -> None:
        page = WebsocketCommunicator(application, "/ws/runs/4711/")
        await page.connect()

    async_to_sync(listen)()
    (line,) = lines.all(event="socket closed")
    assert line["page"] == "runs/4711"
    assert re.fullmatch(r"[0-9a-f]{32}", line["socket"])


@pytest.mark.parametrize(
    ("name", "state", "seconds", "level"),
    [
        ("leaderboard.tasks.refresh_standings", "SUCCESS", 0.2, "debug"),
        ("leaderboard.tasks.refresh_standings", "SUCCESS", 1.2, "info"),
        ("leaderboard.tasks.refresh_standings", "FAILURE", 0.2, "info"),
        ("evaluation.tasks.work_on_run", "SUCCESS", 0.2, "info"),
    ],
)
def test_what_the_clock_asks_for_every_few_seconds_hides_no_other_line(lines, monkeypatch, name, state, seconds, level):
    monkeypatch.setitem(celery_processes._began, "one", time.perf_counter() - seconds)
    celery_processes.tell(task_id="one", task=SimpleNamespace(name=name), state=state)
    assert [line["level"] for line in lines.all(name_of_task=name)] == [level]


def test_people_read_lines_with_the_same_facts():
    record = logging.LogRecord("evaluation.workers.loop", logging.WARNING, "", 0, "no room at %s", ("/p/abc/",), None)
    with structlog.contextvars.bound_contextvars(run=17):
        text = formatter("lines").format(record)
    assert text.endswith(f"WARNING evaluation.workers.loop: no room at /p/{HIDDEN}/ run=17")
