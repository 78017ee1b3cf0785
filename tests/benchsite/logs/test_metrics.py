"""Metrics for Prometheus, access to them, and the dashboard and the rules, which use no others."""

import json
import os
import re
import shutil
import subprocess
from contextlib import nullcontext
from datetime import timedelta
from types import SimpleNamespace

import pytest
import yaml
from django.db.models import F
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from benchsite.logs import health
from benchsite.logs.metrics import SiteCollector
from benchsite.models import SILENT, Heartbeat
from benchsite.settings import REDIS_CACHE
from evaluation.models import Shard, ShardState
from evaluation.workers.loop import work_on
from humantrials.models import ParticipantState, TrialState
from tests.factories import make_item, make_participant, make_sheet, make_trial
from tests.site import ROOT

pytestmark = pytest.mark.django_db
DASHBOARD = ROOT / "docker" / "grafana" / "benchsite.json"
COUNT = "django_http_requests_latency_seconds_by_view_method_count"
NAMES = re.compile(r"(?:benchsite|django)_\w+")
RULES = ROOT / "docker" / "grafana" / "alerts.yml"


def read(client, **headers) -> dict[tuple, float]:
    """(name, labels) -> value."""
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {(one.name, *sorted(one.labels.items())): one.value for family in families for one in family.samples}


def test_pages_are_timed_under_the_names_of_the_urls_and_no_stranger_makes_a_series(client):
    """A kept board, which no view draws, counts, too."""
    home, board = ((COUNT, ("method", "GET"), ("view", name)) for name in ("home", "board"))
    before = read(client)
    client.get("/")
    for _ in range(3):
        assert client.get("/leaderboard/grasp/").status_code == 200
    client.generic("BREW", "/")
    client.get("/no-such-page/17/")
    client.get("/no-such-page/18/")
    after = read(client)
    assert (after[home] - before.get(home, 0), after[board] - before.get(board, 0)) == (1, 3)
    counted = "django_http_responses_total_by_status_view_method_total"
    assert after[counted, ("method", "GET"), ("status", "404"), ("view", "missing")] >= 2
    assert not [key for key in after if "no-such-page" in str(key) or "BREW" in str(key)]


def test_what_waits_and_what_was_answered(client, queued):
    found = read(client)
    assert found["benchsite_queue_depth", ("queue", "shards")] == queued.shards.count() > 0
    assert found["benchsite_runs", ("state", "queued")] == 1
    heard, until = (timezone.now() - timedelta(seconds=seconds) for seconds in (40, 1))
    Shard.objects.update(state=ShardState.LEASED, heartbeat_at=heard, lease_until=until)
    found = read(client)
    assert 40 <= found["benchsite_lease_age_seconds", ("kind", "shard")] < 100
    assert found["benchsite_leases_run_out", ("kind", "shard")] == queued.shards.count()
    work_on(queued.pk)
    found = read(client)
    assert found["benchsite_queue_depth", ("queue", "shards")] == 0


@pytest.mark.parametrize(
    ("token", "address", "headers", "status"),
    [
        ("", "127.0.0.1", {}, 200),
        ("", "::1", {}, 200),
        ("", "127.0.0.1", {"x-forwarded-for": "198.51.100.1"}, 403),
        ("", "198.51.100.1", {}, 403),
        ("", "not an address", {}, 403),
        ("a key", "198.51.100.1", {"authorization": "Bearer a key"}, 200),
        ("a key", "198.51.100.1", {"authorization": "Bearer another"}, 403),
        ("a key", "127.0.0.1", {}, 403),
    ],
)
def test_metrics_are_not_for_everybody(client, settings, token, address, headers, status):
    settings.METRICS_TOKEN = token
    answer = client.get("/metrics", headers=headers, REMOTE_ADDR=address)
    assert answer.status_code == status
    assert (b"benchsite_" in answer.content) is (status == 200)


@pytest.fixture
def heard():
    """A process gave a heartbeat, and somebody came to an open study."""
    now = timezone.now()
    who = {"name": "cpu", "kind": "worker", "host": "here", "pid": 17, "version": "0"}
    Heartbeat.objects.create(**who, started_at=now, seen_at=now)
    make_participant(make_trial(state=TrialState.OPEN))


def test_every_figure_and_label_on_the_dashboard_exists_and_every_state_is_on_it(client, heard):
    client.get("/")
    found = read(client)
    known = {name.removesuffix("_count") for (name, *_) in found}
    targets = [target for panel in json.loads(DASHBOARD.read_text())["panels"] for target in panel["targets"]]
    named = {name for target in targets for name in NAMES.findall(target["expr"])}
    assert named - known - {COUNT} == set()
    assert {family.name for family in SiteCollector().collect()} <= named
    labels = {(name, label) for (name, *pairs) in found for label, _ in pairs}
    for target in targets:
        (shown,) = re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]) or [""]
        assert not shown or (NAMES.findall(target["expr"])[0], shown) in labels, target


def test_metrics_tell_how_far_people_come_in_an_open_study(client):
    trial = make_trial(state=TrialState.OPEN)
    make_sheet(trial, [make_item(trial.pack)])
    make_participant(trial, state=ParticipantState.DECLINED)
    found, study = read(client), ("study", trial.slug)
    assert found["benchsite_study_people", ("step", "arrived"), study] == 1
    assert found["benchsite_study_lost", ("step", "agreed"), study] == 1
    assert found["benchsite_study_stalled", study] == 0
    trial.__class__.objects.update(created_at=F("created_at") - timedelta(hours=2))
    assert read(client)["benchsite_study_stalled", study] == 1


def test_the_rules_for_prometheus_ask_for_what_there_is():
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    known = {family.name for family in SiteCollector().collect()} | {
        "django_http_responses_total_by_status_total",
        "django_http_requests_latency_seconds_by_view_method_bucket",
    }
    names = [rule["alert"] for rule in group["rules"]]
    assert len(set(names)) == len(names) >= 10
    for rule in group["rules"]:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("page", "look")
        assert rule["annotations"]["summary"]
        assert re.fullmatch(r"\d+[smh]", rule.get("for", "1m"))
        assert set(NAMES.findall(rule["expr"])) <= known, rule["alert"]
    assert f"> {SILENT:.0f}" in next(rule["expr"] for rule in group["rules"] if rule["alert"] == "ProcessHangs")


@pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool is not installed: the rules are held to their schema"
)
def test_prometheus_takes_the_rules():
    checked = subprocess.run(["promtool", "check", "rules", RULES], capture_output=True, text=True, timeout=60)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_ready_says_what_is_missing(client, settings, tmp_path):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["ok"]) == (200, True)
    settings.MEDIA_ROOT = tmp_path / "away"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["media"] == "the folder can't be written"
    settings.VAR_DIR = tmp_path / "unmounted"
    assert client.get("/readyz").json()["checks"]["disk"] == "away (var, media)"
    assert client.get("/healthz").status_code == 200


def file_system(**other: int):
    """What the system says of a disk with room, but for these figures; the soak fills a real one."""
    figures = {"f_flag": 0, "f_frsize": 1000, "f_bavail": 10**9, "f_files": 10**6, "f_favail": 10**5} | other
    return lambda folder: SimpleNamespace(**figures)


def test_a_full_disk_is_told_to_balancers_and_staff_while_readers_go_on(client, staff, settings, monkeypatch):
    visitor = Client()
    assert "The disk is" not in staff.get("/").content.decode()
    monkeypatch.setattr("os.statvfs", file_system(f_bavail=12_345))
    answer = visitor.get("/readyz")
    assert (answer.status_code, answer.json()["ok"]) == (503, False)
    assert answer.json()["checks"]["disk"] == "almost full: 12 MB are free, 200 are needed (var, media)"
    for page in ("/", "/leaderboard/grasp/", "/admin/", "/nothing/"):
        assert "The disk is almost full: 12 MB are free" in staff.get(page).content.decode(), page
        said = visitor.get(page, follow=True)
        assert said.status_code in (200, 404)
        assert "The disk is" not in said.content.decode()
    settings.MIN_FREE_MB = 12
    assert visitor.get("/readyz").status_code == 200
    assert "The disk is" not in staff.get("/").content.decode()


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"f_flag": os.ST_RDONLY}, "read-only (media)"),
        ({"f_favail": 12}, "almost out of inodes: 12 more files fit (media)"),
        ({"f_files": 0, "f_favail": 0}, "ok"),
    ],
)
def test_whatever_stops_writing_is_told_with_the_disk_that_is_meant(client, settings, monkeypatch, figures, words):
    media, whole = file_system(**figures), file_system()
    monkeypatch.setattr("os.statvfs", lambda folder: (media if folder == settings.MEDIA_ROOT else whole)(folder))
    answer = client.get("/readyz")
    assert answer.json()["checks"]["disk"] == words
    assert answer.status_code == (200 if words == "ok" else 503)


@pytest.mark.parametrize(("seconds", "words"), [(60, "60 s ahead of"), (-60, "60 s behind"), (0, "ok")])
def test_a_clock_that_differs_from_the_databases_is_told(monkeypatch, seconds, words):
    now = timezone.now()
    clock = SimpleNamespace(execute=lambda query: None, fetchone=lambda: [now])
    monkeypatch.setattr(health, "connection", SimpleNamespace(vendor="postgresql", cursor=lambda: nullcontext(clock)))
    monkeypatch.setattr(health.timezone, "now", lambda: now + timedelta(seconds=seconds))
    assert (health.clock() or "ok").startswith(words)


def test_a_cache_that_is_away_makes_nobody_leave(client, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    away = REDIS_CACHE | {"LOCATION": settings.REDIS_URL}
    settings.CACHES = {"default": away, "limits": away}
    assert client.get("/leaderboard/grasp/").status_code == client.get("/api/v1/packs/").status_code == 200
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"]["cache"] == "does not answer"
