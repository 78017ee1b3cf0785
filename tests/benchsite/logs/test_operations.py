"""The page of operations: running, waiting and failed work, only for staff."""

import re
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from benchsite.logs import operations
from benchsite.logs.metrics import open_studies
from benchsite.models import Heartbeat
from evaluation.models import Run, RunCode, RunState
from humantrials.models import ParticipantState, TrialState
from tests.factories import make_item, make_participant, make_sheet, make_trial

pytestmark = pytest.mark.django_db


def words_of(client) -> str:
    answer = client.get("/operations/")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_it_is_for_staff_alone(client, django_user_model):
    assert client.get("/operations/").status_code == 302
    client.force_login(django_user_model.objects.create_user("reader", password="a long password 1"))
    assert client.get("/operations/").status_code == 404


def test_a_quiet_site_says_so(staff, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    words = words_of(staff)
    for said in ("No process gave a heartbeat", "No run, upload or production failed.", "No study is open."):
        assert said in words
    assert "none was made on this machine" in words
    operations.note_backup({"bytes": 3_000_000})
    assert "0 h ago, 3.0 MB" in words_of(staff)
    (tmp_path / operations.LAST_BACKUP).write_text("[]")
    assert "none was made on this machine" in words_of(staff)


def test_the_host_says_its_load_memory_cards_and_disk(staff, monkeypatch, tmp_path):
    words = words_of(staff)
    assert re.search(r"load \d+\.\d\d, \d+\.\d\d, \d+\.\d\d on \d+ cores", words)
    assert re.search(r"memory \d+\.\d of \d+\.\d GB used", words)
    assert re.search(r"disk \d+\.\d GB free", words)
    monkeypatch.setenv("PATH", str(tmp_path))  # no program of NVIDIA's
    assert ("GPU", "none") in operations.machine()
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'NVIDIA H200, 2048, 143771, 37'\necho 'NVIDIA H200, 0, 143771, 0'\n")
    program.chmod(0o755)
    cards = [value for name, value in operations.machine() if name == "GPU"]
    assert cards == ["NVIDIA H200: 2048 of 143771 MiB used, 37 % busy", "NVIDIA H200: 0 of 143771 MiB used, 0 % busy"]
    program.write_text("#!/bin/sh\nexit 9\n")
    assert operations.graphics_cards() == []


def test_an_ill_process_and_a_failed_run_are_named(staff, queued):
    now = timezone.now()
    told = {"version": "1.0.0", "started_at": now - timedelta(hours=3), "seen_at": now - timedelta(seconds=50)}
    Heartbeat.objects.create(name="gpu1", kind="worker", host="box", pid=17, **told)
    failed = {"state": RunState.FAILED, "code": RunCode.OUT_OF_MEMORY, "reason": "the card is full", "finished_at": now}
    Run.objects.update(**failed)
    words = words_of(staff)
    assert re.search(r"processes: gpu1 was not heard for \d\d s", words)
    assert re.search(r"gpu1 \d\d silent box 17 3\.0 1\.0\.0", words)
    assert "run: out-of-memory 1" in words
    assert "the card is full" in words
    Run.objects.update(finished_at=now - timedelta(days=8))
    assert "the card is full" not in words_of(staff)


def test_an_open_study_shows_where_people_are_lost_and_that_nobody_finishes(staff):
    trial = make_trial(state=TrialState.OPEN, title="Ramps")
    make_sheet(trial, [make_item(trial.pack)])
    make_participant(trial, state=ParticipantState.DECLINED)
    (study,) = open_studies()
    assert (study["trial"], study["stalled_since"], study["hours_left"]) == (trial, None, None)
    assert (study["sheets"].done, study["sheets"].total) == (0, 1)
    trial.__class__.objects.update(created_at=F("created_at") - timedelta(hours=2))
    (study,) = open_studies()
    assert study["stalled_since"]
    words = words_of(staff)
    assert "nobody finished since" in words
    assert "arrived 1 · agreed 0, said no 1 ·" in words
