"""Metrics for Prometheus, access to them, and the dashboard, which uses no others."""

import json
import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from benchsite.models import Heartbeat
from benchsite.observability import figures
from evaluation.models import ModelResponse, Shard, ShardState
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from humantrials.models import TrialState
from tests.factories import make_item, make_model, make_pack, make_participant, make_trial
from tests.site import ROOT

pytestmark = pytest.mark.django_db
DASHBOARD = ROOT / "docker" / "grafana" / "benchsite.json"


def read(client, **headers) -> dict[tuple, float]:
    """(name, labels) -> value."""
    answer = client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {(one.name, *sorted(one.labels.items())): one.value for family in families for one in family.samples}


def test_pages_are_timed_under_the_names_of_the_urls(client):
    key = ("benchsite_request_seconds_count", ("method", "GET"), ("page", "home"))
    before = read(client).get(key, 0)
    client.get("/")
    client.get("/no-such-page/17/")
    client.get("/no-such-page/18/")
    after = read(client)
    assert after[key] == before + 1
    assert after["benchsite_requests_total", ("method", "GET"), ("page", "missing"), ("status", "404")] >= 2
    assert not [key for key in after if "no-such-page" in str(key)]


def test_a_kept_board_is_timed_too(client):
    key = ("benchsite_request_seconds_count", ("method", "GET"), ("page", "board"))
    before = read(client).get(key, 0)
    for _ in range(3):
        assert client.get("/leaderboard/grasp/").status_code == 200
    assert read(client)[key] == before + 3


def test_what_waits_and_what_was_answered(client):
    pack = make_pack()
    make_item(pack), make_item(pack)
    run = start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only")
    found = read(client)
    assert found["benchsite_queue_depth", ("queue", "shards")] == run.shards.count() > 0
    assert found["benchsite_runs", ("state", "queued")] == 1
    Shard.objects.update(
        state=ShardState.LEASED,
        heartbeat_at=timezone.now() - timedelta(seconds=40),
        lease_until=timezone.now() - timedelta(seconds=1),
    )
    found = read(client)
    assert 40 <= found["benchsite_lease_age_seconds", ("kind", "shard")] < 100
    assert found["benchsite_leases_run_out", ("kind", "shard")] == run.shards.count()
    work_on(run.pk)
    found = read(client)
    assert found["benchsite_items_a_minute",] == 2
    assert found["benchsite_queue_depth", ("queue", "shards")] == 0
    ModelResponse.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    assert read(client)["benchsite_items_a_minute",] == 0


def test_answers_are_counted_from_the_newest_back_and_no_further(django_assert_num_queries, monkeypatch):
    monkeypatch.setattr(figures, "COUNTED_AT_MOST", 1)
    pack = make_pack()
    make_item(pack), make_item(pack)
    work_on(start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only").pk)
    with django_assert_num_queries(1):
        assert figures.in_last(ModelResponse) == 1


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
    row = {
        "name": "cpu",
        "kind": "worker",
        "host": "here",
        "pid": 17,
        "version": "0",
        "started_at": now,
        "seen_at": now,
    }
    Heartbeat.objects.create(**row)
    make_participant(make_trial(state=TrialState.OPEN))


def test_every_figure_on_the_dashboard_exists_and_every_state_is_on_it(client, heard):
    client.get("/")
    known = {name.removesuffix("_count") for (name, *_) in read(client)}
    dashboard = json.loads(DASHBOARD.read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    named = {name for expression in asked for name in re.findall(r"benchsite_\w+", expression)}
    assert named - known - {"benchsite_request_seconds_count"} == set()
    assert {figure.name for figure in figures.figures()} <= named


def test_the_labels_that_the_dashboard_shows_exist(client, heard):
    client.get("/")
    labels = {(name, label) for (name, *pairs) in read(client) for label, _ in pairs}
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            (shown,) = re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]) or [""]
            name = re.findall(r"benchsite_\w+", target["expr"])[0]
            assert not shown or (name, shown) in labels, target


def test_ready_says_what_is_missing(client, settings, tmp_path):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["ok"]) == (200, True)
    settings.MEDIA_ROOT = tmp_path / "away"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["media"] == "the folder can't be written"
    assert client.get("/healthz").status_code == 200


def test_a_full_disk_is_told_to_balancers_and_staff_while_readers_go_on(client, staff, settings, monkeypatch):
    """The free space is simulated; the soak tests writes on a disk that is really full."""
    visitor = Client()
    assert "The disk is" not in staff.get("/").content.decode()
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=12_345_678))
    answer = visitor.get("/readyz")
    assert (answer.status_code, answer.json()["ok"]) == (503, False)
    assert answer.json()["checks"]["disk"] == "almost full: 12 MB are free, MIN_FREE_MB is 200"
    for page in ("/", "/leaderboard/grasp/", "/admin/", "/nothing/"):
        assert "The disk is almost full: 12 MB are free" in staff.get(page).content.decode(), page
        said = visitor.get(page, follow=True)
        assert said.status_code in (200, 404)
        assert "The disk is" not in said.content.decode()
    settings.MIN_FREE_MB = 12
    assert visitor.get("/readyz").status_code == 200
    assert "The disk is" not in staff.get("/").content.decode()


def test_a_cache_that_is_away_makes_nobody_leave(client, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    away = {"BACKEND": "benchsite.web.fail_open_caches.FailOpenRedisCache", "LOCATION": settings.REDIS_URL}
    settings.CACHES = {"default": away, "limits": away}
    assert client.get("/leaderboard/grasp/").status_code == client.get("/api/v1/packs/").status_code == 200
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["checks"]["cache"] == "does not answer"
