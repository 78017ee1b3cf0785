"""Uploads: spooled, checked one at a time in a limited process, and never lost or stored twice."""

import os
import signal
import subprocess
import sys
import time

import pytest
from django.core.cache import cache, caches
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.throttling import UploadThrottle
from benchmarks.leasing import lapse
from evaluation.models import Run, RunState, Upload, UploadState
from evaluation.submissions.files.problems import Problem
from evaluation.submissions.files.rows import Spool
from evaluation.submissions.lint import reports
from evaluation.submissions.lint.check import LintReport
from evaluation.submissions.lint.reports import FOLDER, find, store_report
from evaluation.submissions.store import upload_queue
from evaluation.submissions.store.upload_queue import ATTEMPTS, check, sweep, take
from tests.evaluation.submissions.uploads import good_file
from tests.site import PATIENCE, ROOT

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def started(monkeypatch):
    """Processes are counted, not started: a test's database is its own. No sender waits."""
    started = []
    monkeypatch.setattr(upload_queue, "notify_worker", lambda: None)
    monkeypatch.setattr(upload_queue, "WAIT", 0.0)
    monkeypatch.setattr(upload_queue, "begin_process", lambda: started.append("a process"))
    return started


def sent(client, content, **header):
    return client.post("/submit/", {"file": SimpleUploadedFile("answers.jsonl", content)} | header)


def test_a_file_waits_is_checked_and_leads_to_its_submission(submitter, pack, client, django_user_model):
    page = sent(submitter, good_file(pack))
    waiting = Upload.objects.get()
    assert page["Location"] == waiting.get_absolute_url() == f"/submit/uploads/{waiting.key}/"
    assert "It is next in the queue." in submitter.get(page["Location"]).content.decode()
    assert "answers.jsonl" in submitter.get("/submit/").content.decode()
    assert not Run.objects.exists()
    check(take(), Spool())
    run = Run.objects.get()
    assert (run.state, run.owner, run.cells.count()) == (RunState.FINISHED, submitter.user, 4)
    assert submitter.get(page["Location"])["Location"] == f"/submit/{run.pk}/"
    assert not default_storage.exists(upload_queue.path_of(waiting))
    client.force_login(django_user_model.objects.create_user("bea"))
    for address in (page["Location"], f"/api/v1{page['Location']}".replace("submit/", "submissions/")):
        assert client.get(address).status_code == 404


def test_who_sends_a_file_that_is_checked_in_a_moment_is_led_to_the_result(submitter, pack, monkeypatch):
    monkeypatch.setattr(upload_queue, "WAIT", 60.0)
    monkeypatch.setattr(time, "sleep", lambda _seconds: check(take(), Spool()))  # the other process
    assert sent(submitter, good_file(pack))["Location"] == f"/submit/{Run.objects.get().pk}/"
    assert sent(submitter, b"what?\n")["Location"].startswith("/submit/reports/")
    answer = submitter.post("/api/v1/submissions/", {"file": SimpleUploadedFile("answers.jsonl", good_file(pack))})
    assert (answer.status_code, answer.json()["run"]) == (201, Run.objects.get().pk)


def test_who_waits_for_a_refusal_reads_it_at_once_and_nothing_of_it_is_kept(
    submitter, pack, monkeypatch, django_user_model
):
    def refused(_seconds):
        django_user_model.objects.update(role="reader")
        check(take(), Spool())

    monkeypatch.setattr(upload_queue, "WAIT", 60.0)
    monkeypatch.setattr(time, "sleep", refused)
    assert "your account is read-only" in sent(submitter, good_file(pack)).content.decode()
    assert not Upload.objects.exists()


def test_a_file_with_problems_leads_to_its_report(submitter, pack):
    page = sent(submitter, good_file(pack) + b"what?\n")
    check(take(), Spool())
    report = submitter.get(page["Location"], follow=True)
    assert "1 problem in the file" in report.content.decode()
    assert not Run.objects.exists()
    listed = submitter.get("/submit/").content.decode()  # somebody who closed the page finds it there
    assert page["Location"] in listed
    assert "nothing of it was stored" in listed


def test_a_file_by_the_api_is_202_and_tells_what_became_of_it(submitter, pack):
    for content, state, ok in ((good_file(pack), "stored", True), (good_file(pack) + b"what?\n", "refused", False)):
        answer = submitter.post("/api/v1/submissions/", {"file": SimpleUploadedFile("answers.jsonl", content)})
        assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
        check(take(), Spool())
        told = submitter.get(answer.json()["url"]).json()
        assert (told["state"], told["rows"], told["result"]["ok"], told["result"]["rows"]) == (state, 4, ok, 4)
    assert told["result"]["problems"][0]["line"] == 6


def test_files_and_reports_of_a_deleted_account_are_deleted(submitter, pack):
    sent(submitter, b"what?\n")
    check(take(), Spool())
    sent(submitter, good_file(pack))
    refused, waiting = Upload.objects.all()
    paths = [f"{reports.FOLDER}/{refused.report}.json", upload_queue.path_of(waiting)]
    sweep()
    assert all(map(default_storage.exists, paths))
    submitter.user.delete()
    assert take() is None
    sweep()
    assert not any(map(default_storage.exists, paths))
    assert not Upload.objects.exists()


def test_one_file_is_checked_at_a_time_in_the_order_of_arrival_until_none_waits(submitter, pack, monkeypatch):
    for name in ("limit_memory", "limit_time"):  # they would hold for the tests' own process
        monkeypatch.setattr(upload_queue, name, lambda wanted: None)
    for model in ("One", "Two", "Three"):
        sent(submitter, good_file(pack, model=model))
    first = take()
    assert first == Upload.objects.earliest("pk")
    assert take() is None
    check(first, Spool())
    assert upload_queue.check_waiting() == 2
    assert list(Run.objects.order_by("pk").values_list("model__name", flat=True)) == ["One", "Two", "Three"]


def test_a_process_that_died_is_noticed_and_after_two_deaths_the_file_is_given_up(submitter, pack, started):
    page = sent(submitter, good_file(pack))
    for _death in range(ATTEMPTS):
        assert take()
        sweep()
        assert not take(), "somebody may be at it"
        lapse(Upload.objects.all())
        started.clear()
        sweep()
        upload = Upload.objects.get()
    assert (upload.state, upload.reason) == (UploadState.FAILED, upload_queue.TOO_MUCH)
    assert started == []
    assert "too much time or memory" in submitter.get(page["Location"]).content.decode()
    assert not default_storage.exists(upload_queue.path_of(upload))


def test_the_sweep_starts_a_process_where_one_is_wanted_and_none_is_at_work(submitter, pack, started):
    sweep()
    assert started == []
    sent(submitter, good_file(pack))
    sweep()
    take()
    sweep()
    assert len(started) == 1


def test_nobody_lets_many_files_wait(submitter, pack):
    for number in range(upload_queue.AT_ONCE):
        assert sent(submitter, good_file(pack, model=f"{number}")).status_code == 302
    page = sent(submitter, good_file(pack))
    assert "wait to be checked: send the next one after them" in page.content.decode()
    assert Upload.objects.count() == upload_queue.AT_ONCE


def test_of_files_that_come_at_once_none_takes_more_than_the_last_place(submitter, pack, monkeypatch):
    path_of, paths = upload_queue.path_of, []

    def others_come_first(upload):
        if not paths:
            others = [Upload(key=str(number), owner=submitter.user) for number in range(upload_queue.AT_ONCE)]
            Upload.objects.bulk_create(others)
        paths.append(path_of(upload))
        return paths[-1]

    monkeypatch.setattr(upload_queue, "path_of", others_come_first)
    assert "wait to be checked" in sent(submitter, good_file(pack)).content.decode()
    assert Upload.objects.count() == upload_queue.AT_ONCE
    assert not default_storage.exists(paths[0])


@pytest.mark.parametrize(
    ("then", "ended"),  # by the limit of processor time, or of wall time on a busy machine
    [
        ("bytearray(2_000_000_000)", {1}),
        ("exec('while True: pass')", {-signal.SIGXCPU, -signal.SIGALRM}),
        ("print(__import__('os').nice(0))", {0}),
    ],
)
def test_a_checking_process_has_an_end_of_memory_and_of_time_and_goes_last(then, ended):
    code = f"import benchmarks.encoding.limits as limits; limits.limit_memory(500); limits.limit_time(1); {then}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in ended
    assert "MemoryError" in done.stderr if ended == {1} else done.stdout.strip() in ("", "10", "19")


def test_who_sends_many_files_waits_and_is_told_how_long(submitter, pack, monkeypatch, client):
    monkeypatch.setattr(UploadThrottle, "rate", "2/min", raising=False)
    caches["limits"].clear()
    assert sent(submitter, b"").status_code == 200
    assert submitter.post("/api/v1/submissions/", {}).status_code == 400
    for answer in (sent(submitter, good_file(pack)), submitter.post("/api/v1/submissions/", {})):
        assert answer.status_code == 429
        assert 0 < int(answer["Retry-After"]) <= 60
    assert "send the next one in" in sent(submitter, good_file(pack)).content.decode()
    assert submitter.get("/api/v1/submissions/").status_code == 200
    caches["limits"].clear()


def stored(user) -> str:
    report = LintReport(problems=[Problem("missing", "no answer with seed 0", item="abc")])
    return store_report(report=report, user=user, name="answers.jsonl")


def age(key, days):
    then = time.time() - days * 86_400
    os.utime(default_storage.path(f"{FOLDER}/{key}.json"), (then, then))


def test_a_report_lasts_a_week_and_they_are_looked_through_once_an_hour(django_user_model):
    user = django_user_model.objects.create_user("ada")
    old, young = stored(user), stored(user)
    age(old, 7.1)
    age(young, 6.9)
    stored(user)
    assert find(key=old, user=user)
    cache.clear()  # an hour later
    stored(user)
    assert find(key=old, user=user) is None
    found = find(key=young, user=user)
    assert found["problems"] == [{"code": "missing", "what": "no answer with seed 0", "line": None, "item": "abc"}]
