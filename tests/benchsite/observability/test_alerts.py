"""Alerts to staff: one e-mail per problem and one when it is over; and the rules for Prometheus."""

import re
import shutil
import subprocess
from datetime import timedelta
from smtplib import SMTPServerDisconnected

import pytest
import yaml
from django.db.models import F
from django.utils import timezone

from benchsite.models import Heartbeat, Incident
from benchsite.observability import alerts, figures, heartbeats
from benchsite.observability.alerts import LASTING, PAUSE, look_each_minute, problems, tell
from evaluation.models import RunCode, RunState
from evaluation.runs.lifecycle import start_run
from humantrials.models import ParticipantState, TrialState
from tests.benchsite.observability.test_metrics import read
from tests.factories import make_item, make_model, make_pack, make_participant, make_sheet, make_trial
from tests.site import ROOT

pytestmark = pytest.mark.django_db
RULES = ROOT / "docker" / "grafana" / "alerts.yml"
ILL = {"check: disk": "disk: almost full"}


@pytest.fixture(autouse=True)
def staff_wants_letters(settings):
    settings.ALERT_EMAIL = ["watch@example.org"]
    settings.SITE_URL = "https://bench.example"


def later(time: timedelta) -> None:
    """Pretend that this much time has passed since all stored events."""
    Incident.objects.update(since=F("since") - time, seen_at=F("seen_at") - time, written_at=F("written_at") - time)


def test_what_lasts_is_told_once_and_once_more_when_it_is_over(mailoutbox):
    tell(ILL)
    assert mailoutbox == []  # the problem may disappear by itself
    later(LASTING * 2)
    tell(ILL)
    tell(ILL)
    (letter,) = mailoutbox
    assert letter.to == ["watch@example.org"]
    assert letter.subject == "benchsite: check: disk is ill"
    assert letter.body == "disk: almost full\n\nhttps://bench.example/operations/\n"
    later(PAUSE * 2)
    tell({})
    tell({})
    assert [letter.subject for letter in mailoutbox[1:]] == ["benchsite: check: disk is well again"]
    assert mailoutbox[1].body.startswith("Over; it was: disk: almost full\n")
    later(PAUSE * 2)
    tell({})
    assert not Incident.objects.exists()


def test_what_passes_within_a_minute_is_told_to_nobody(mailoutbox):
    tell(ILL)
    tell({})
    later(PAUSE * 2)
    tell({})
    assert mailoutbox == []
    assert not Incident.objects.exists()


def test_what_comes_and_goes_fills_no_inbox(mailoutbox):
    for _ in range(30):  # half an hour
        tell(ILL)
        later(LASTING)
        tell({})
        later(LASTING)
    assert 2 <= len(mailoutbox) <= 7


def test_a_letter_that_could_not_be_sent_is_sent_at_the_next_look(mailoutbox, monkeypatch):
    tell(ILL)
    later(LASTING * 2)
    with monkeypatch.context() as patch:
        patch.setattr(alerts, "send_mail", lambda *letter: (_ for _ in ()).throw(SMTPServerDisconnected("away")))
        tell(ILL)
    assert mailoutbox == []
    tell(ILL)
    assert len(mailoutbox) == 1


def test_everything_that_needs_a_person_is_found(settings):
    settings.MIN_FREE_MB = 10**12
    now = timezone.now()
    told = {"version": "1", "started_at": now, "seen_at": now - timedelta(seconds=50)}
    Heartbeat.objects.create(name="gpu1", kind="worker", host="box", pid=17, **told)
    trial = make_trial(state=TrialState.OPEN)
    make_sheet(trial, [make_item(trial.pack)])
    trial.__class__.objects.update(created_at=F("created_at") - timedelta(hours=2))
    pack = make_pack()
    make_item(pack)
    run = start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only")
    type(run).objects.update(state=RunState.FAILED, code=RunCode.OUT_OF_MEMORY, finished_at=now)
    found = problems()
    assert set(found) == {"check: disk", "check: processes", f"study: {trial.slug}", "runs"}
    assert found["check: processes"].startswith("processes: gpu1 was not heard for 5")
    assert found["runs"] == "runs: 1 failed within an hour, the last one with out-of-memory"


def test_a_process_looks_once_a_minute_and_survives_what_it_finds(monkeypatch, settings, caplog):
    looks = []
    monkeypatch.setattr(alerts, "_looked_at", -alerts.EVERY)
    monkeypatch.setattr(alerts, "problems", lambda: looks.append(1) or {}[0])
    look_each_minute()
    look_each_minute()
    assert len(looks) == 1
    assert "staff could not be told of the problems" in caplog.text
    monkeypatch.setattr(alerts, "_looked_at", -alerts.EVERY)
    settings.ALERT_EMAIL = []
    look_each_minute()
    assert len(looks) == 1


def test_metrics_tell_how_far_people_come_in_an_open_study(client):
    trial = make_trial(state=TrialState.OPEN)
    make_sheet(trial, [make_item(trial.pack)])
    make_participant(trial, state=ParticipantState.DECLINED)
    found, study = read(client), ("study", trial.slug)
    assert found["benchsite_study_people", ("step", "came"), study] == 1
    assert found["benchsite_study_lost", ("step", "agreed"), study] == 1
    assert found["benchsite_study_stalled", study] == 0
    trial.__class__.objects.update(created_at=F("created_at") - timedelta(hours=2))
    assert read(client)["benchsite_study_stalled", study] == 1


def test_the_rules_for_prometheus_ask_for_what_there_is():
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    known = {figure.name for figure in figures.figures()} | {
        "benchsite_requests_total",
        "benchsite_request_seconds_bucket",
    }
    names = [rule["alert"] for rule in group["rules"]]
    assert len(set(names)) == len(names) >= 10
    for rule in group["rules"]:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("page", "look")
        assert rule["annotations"]["summary"]
        assert re.fullmatch(r"\d+[smh]", rule.get("for", "1m"))
        assert set(re.findall(r"benchsite_\w+", rule["expr"])) <= known, rule["alert"]
    assert f"> {heartbeats.SILENT:.0f}" in next(
        rule["expr"] for rule in group["rules"] if rule["alert"] == "ProcessHangs"
    )


@pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool is not installed: the rules are held to their schema"
)
def test_prometheus_takes_the_rules():
    checked = subprocess.run(["promtool", "check", "rules", RULES], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stdout + checked.stderr
