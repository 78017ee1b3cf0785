"""Large files: spooled, checked one at a time in a limited process, and never lost or stored twice."""

import json
import signal
import subprocess
import sys

import pytest
from django.core.cache import caches
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.utils import timezone

from accounts.throttling import UploadThrottle
from evaluation.models import Run, RunState, Upload, UploadState
from evaluation.submissions.files import archives
from evaluation.submissions.lint.spool import Spool
from evaluation.submissions.store import upload_queue
from evaluation.submissions.store.upload_queue import ATTEMPTS, LEASE, check, sweep, take
from tests.evaluation.submissions.uploads import good_file, gzipped, small_pack, upload, zipped
from tests.site import PATIENCE, ROOT, environment

pytestmark = pytest.mark.django_db


@pytest.fixture
def pack(db):
    return small_pack()


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    """Processes are counted, not started: a test's database is its own."""
    started = []
    monkeypatch.setattr(upload_queue, "AT_ONCE_BYTES", 10)
    monkeypatch.setattr(upload_queue, "begin_process", lambda: started.append("a process"))
    return started


def sent(client, content, **header):
    return client.post("/submit/", {"file": SimpleUploadedFile("large.jsonl", content)} | header)


def test_a_large_file_waits_is_checked_and_leads_to_its_submission(submitter, pack):
    page = sent(submitter, good_file(pack))
    waiting = Upload.objects.get()
    assert page["Location"] == waiting.get_absolute_url() == f"/submit/uploads/{waiting.key}/"
    assert "It is the next one." in submitter.get(page["Location"]).content.decode()
    assert "large.jsonl" in submitter.get("/submit/").content.decode()
    assert not Run.objects.exists()
    check(take(), Spool())
    run = Run.objects.get()
    assert (run.state, run.owner, run.cells.count()) == (RunState.FINISHED, submitter.user, 4)
    assert submitter.get(page["Location"])["Location"] == f"/submit/{run.pk}/"
    assert not default_storage.exists(upload_queue.path_of(waiting))


def test_a_large_file_with_problems_leads_to_its_report(submitter, pack):
    page = sent(submitter, good_file(pack) + b"what?\n")
    check(take(), Spool())
    report = submitter.get(page["Location"], follow=True)
    assert "One problem in the file" in report.content.decode()
    assert not Run.objects.exists()
    listed = submitter.get("/submit/").content.decode()  # somebody who closed the page finds it there
    assert page["Location"] in listed
    assert "nothing of it was stored" in listed


def test_a_large_file_by_the_api_is_202_and_tells_what_became_of_it(submitter, pack):
    for content, state, ok in ((good_file(pack), "stored", True), (good_file(pack) + b"what?\n", "refused", False)):
        answer = submitter.post("/api/v1/submissions/", {"file": SimpleUploadedFile("large.jsonl", content)})
        assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
        check(take(), Spool())
        told = submitter.get(answer.json()["url"]).json()
        assert (told["state"], told["result"]["ok"], told["result"]["rows"]) == (state, ok, 4)
    assert told["result"]["problems"][0]["line"] == 6


def test_anothers_upload_is_not_there(submitter, pack, client, django_user_model):
    page = sent(submitter, good_file(pack))
    client.force_login(django_user_model.objects.create_user("bea"))
    assert client.get(page["Location"]).status_code == 404
    assert client.get(f"/api/v1{page['Location']}".replace("submit/", "submissions/")).status_code == 404


def test_one_file_is_checked_at_a_time_in_the_order_of_arrival(submitter, pack):
    for model in ("One", "Two"):
        sent(submitter, good_file(pack, model=model))
    first = take()
    assert first == Upload.objects.earliest("pk")
    assert take() is None
    check(first, Spool())
    assert take() == Upload.objects.latest("pk")


def test_a_process_that_died_is_noticed_and_after_two_deaths_the_file_is_given_up(submitter, pack, everything_is_large):
    page = sent(submitter, good_file(pack))
    for _death in range(ATTEMPTS):
        assert take()
        sweep()
        assert not take(), "somebody may be at it"
        Upload.objects.update(lease_until=timezone.now() - LEASE)
        everything_is_large.clear()
        sweep()
        upload = Upload.objects.get()
    assert (upload.state, upload.reason) == (UploadState.FAILED, upload_queue.TOO_MUCH)
    assert everything_is_large == []
    assert "too much time or memory" in submitter.get(page["Location"]).content.decode()
    assert not default_storage.exists(upload_queue.path_of(upload))


def test_the_sweep_starts_a_process_where_one_is_wanted_and_none_is_at_work(submitter, pack, everything_is_large):
    sweep()
    assert everything_is_large == []
    sent(submitter, good_file(pack))
    sweep()
    take()
    sweep()
    assert len(everything_is_large) == 1


def test_nobody_lets_many_large_files_wait(submitter, pack):
    for number in range(upload_queue.AT_ONCE):
        assert sent(submitter, good_file(pack, model=f"{number}")).status_code == 302
    page = sent(submitter, good_file(pack))
    assert "wait to be checked: send the next one after them" in page.content.decode()
    assert Upload.objects.count() == upload_queue.AT_ONCE


def test_what_may_not_be_stored_when_its_turn_comes_is_a_refusal_in_words(submitter, pack, django_user_model):
    page = sent(submitter, good_file(pack))
    django_user_model.objects.update(role="reader")
    check(take(), Spool())
    assert "your account is read-only" in submitter.get(page["Location"]).content.decode()
    assert not Run.objects.exists()


def test_the_command_checks_all_that_wait(submitter, pack, monkeypatch, capsys):
    from evaluation.management.commands import check_uploads

    for name in ("limit_memory", "limit_time"):  # they would hold for the tests' own process
        monkeypatch.setattr(check_uploads, name, lambda wanted: None)
    for model in ("One", "Two"):
        sent(submitter, good_file(pack, model=model))
    call_command("check_uploads", json=True)
    assert json.loads(capsys.readouterr().out) == {"checked": 2}
    assert Run.objects.count() == 2


LIMITED = (
    "import benchmarks.encoding.limits as limits; limits.limit_memory({memory}); limits.limit_time({seconds}); {then}"
)


@pytest.mark.parametrize(
    ("then", "ended"),  # by the limit of processor time, or of wall time on a busy machine
    [
        ("bytearray(2_000_000_000)", {1}),
        ("exec('while True: pass')", {-signal.SIGXCPU, -signal.SIGALRM}),
        ("print(__import__('os').nice(0))", {0}),
    ],
)
def test_a_checking_process_has_an_end_of_memory_and_of_time_and_goes_last(then, ended):
    code = LIMITED.format(memory=500, seconds=1, then=then)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in ended
    assert "MemoryError" in done.stderr if ended == {1} else done.stdout.strip() in ("", "10", "19")


@pytest.mark.parametrize(
    ("content", "limit", "is_small"),
    [
        (b"x" * 100, 100, True),
        (b"x" * 101, 100, False),
        (gzipped(b"x" * 5000), 5000, True),
        (gzipped(b"x" * 5001), 5000, False),
        (zipped({"a": b"x" * 5001}), 5000, False),
        (b"PK\x03\x04", 100, True),
        (b"", 100, True),
        (gzipped(b"x" * 9000)[:-9], 5000, False),
        (zipped({"../a": b"x"}), 1000, True),
        (gzipped(b"x" * 9_000_000), 2_000_000, True),  # of a bomb, only the allowed size is read
    ],
)
def test_what_is_small_enough_to_be_checked_at_once(content, limit, is_small):
    assert (archives.size_within(upload(content), limit) is not None) is is_small


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


COUNT = """
import django; django.setup()
from django.core.cache import caches
counts = caches["limits"]
counts.set("n", counts.get("n", 0) + 1)
print(counts.get("n"))
"""


def test_uploads_of_all_web_processes_are_counted_together(tmp_path):
    """The counts are in files (or in Redis), never in one process's memory."""
    production = environment(tmp_path) | {
        "DJANGO_SETTINGS_MODULE": "benchsite.settings",
        "DEBUG": "0",
        "SECRET_KEY": "x" * 60,
        "ALLOWED_HOSTS": "localhost",
        "SITE_URL": "https://localhost",
    }
    command = [sys.executable, "-W", "ignore", "-c", COUNT]
    said = [subprocess.run(command, cwd=ROOT, env=production, capture_output=True, text=True) for _process in range(2)]
    assert [each.stdout.strip() for each in said] == ["1", "2"], said[0].stderr
