"""A site that was there before, as `serve` runs it: its processes together, its folder, its lines, and its end."""

import json
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from benchsite.serving.serve import free_port
from tests.site import ServeProcess, Site, end, others_read, wait_for
from tests.tables import lay_into, lay_static

pytestmark = pytest.mark.worker
MARK = "0123456789abcdef0123456789abcdef"
ASK = f"""
import structlog
from benchsite.celery import app
from evaluation.queue.scheduling import notify_worker
structlog.contextvars.bind_contextvars(request="{MARK}")
assert notify_worker(1)
"""
# What the processes write; messages are soon gone. The clock's is beat.db or beat.dat and beat.dir: Python chooses.
WRITTEN = ("alive-*", "beat.d*", "queue/control/gpu.exchange")


@dataclass(frozen=True)
class Found:
    """What a site said and did until SIGTERM, as services are stopped; Ctrl-C ends all sites of other tests."""

    folder: Path
    figures: list[str]  # /metrics, after twenty visits
    early: list[str]  # what others could read at the first page
    late: list[str]  # and once each process had written its files
    processes: int
    code: int
    said: str
    errors: str
    left: list[psutil.Process]


def furnish(folder: Path) -> None:
    """The files of an older site, which others may read."""
    lay_into(folder)
    lay_static(folder)
    media, var = folder / "media/clips", folder / "var/models/old"
    for place in (media, var):
        place.mkdir(parents=True)
        (place / "file").write_text("of before")
        (place / "file").chmod(0o644)
    (var / "run").write_text("a program")
    (var / "run").chmod(0o755)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder, port = tmp_path_factory.mktemp("site"), free_port("127.0.0.1")
    var = folder / "var"
    furnish(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOG_LEVEL", "INFO")
        process = ServeProcess(folder, port)
    site = Site(process, port, folder)
    try:
        wait_for(lambda: site.page("/healthz"))
        places = [var, *var.glob("db.sqlite3*"), var / "models/old", var / "models/old/file", var / "static"]
        assert len(places) >= 5
        early = [str(path) for path in places if path.stat().st_mode & 0o077]
        for _ in range(20):
            site.page("/")
        figures = [site.page("/metrics") for _ in range(4)]
        wait_for(lambda: all([*var.glob(kind)] for kind in WRITTEN))
        done = site.manage("shell", "-c", ASK)
        assert done.returncode == 0, done.stderr
        wait_for(lambda: not list((var / "queue/messages").glob("*.gpu.msg")))
        late = others_read(var)
        processes = len(psutil.Process(process.pid).children(recursive=True))
    finally:
        said, errors, left = end(process, signal.SIGTERM)
    return Found(folder, figures, early, late, processes, process.returncode, said, errors, left)


def test_it_does_not_matter_which_web_process_is_asked(found):
    line = 'django_http_requests_latency_seconds_by_view_method_count{method="GET",view="home"} 20.0'
    assert all(line in text for text in found.figures)


def test_every_line_is_one_object_and_a_task_names_the_request_that_asked_for_it(found):
    lines = [json.loads(line) for line in found.errors.splitlines()]
    assert lines
    assert [line for line in lines if {"event", "level", "logger", "timestamp"} - line.keys()] == []
    tasks = [line for line in lines if line.get("request") == MARK]
    assert [line.get("name_of_task") for line in tasks] == ["evaluation.tasks.work_on_run"]
    assert tasks[0]["task"]


def test_a_start_closes_var_of_an_existing_site(found):
    """What lies outside var/ stays as it is."""
    var = found.folder / "var"
    assert (var.stat().st_mode & 0o777, found.early, found.late) == (0o700, [], [])
    assert (var / "models/old/run").stat().st_mode & 0o777 == 0o700
    assert (found.folder / "media/clips/file").stat().st_mode & 0o777 == 0o644


def test_stopping_leaves_nothing_running(found):
    assert "benchsite is at" in found.said
    assert found.code == 0
    assert "Traceback" not in found.errors
    assert "shutdown" not in found.said + found.errors
    assert found.processes >= 5
    assert found.left == []
