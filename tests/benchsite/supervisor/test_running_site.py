"""The site as `serve` runs it: several web processes count together, lines of all processes are JSON objects."""

import json
import signal

import psutil
import pytest

from benchsite.supervisor.serve import free_port
from tests.site import PATIENCE, Site, start, wait_for
from tests.tables import lay_into

pytestmark = pytest.mark.worker
MARK = "0123456789abcdef0123456789abcdef"
ASK = f"""
import structlog
from benchsite.celery import app
from evaluation.queue.wakeup import notify_worker
structlog.contextvars.bind_contextvars(request="{MARK}")
assert notify_worker(1)
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """The text of /metrics after twenty visits, all log lines of the processes, and the processes left after Ctrl-C."""
    folder, port = tmp_path_factory.mktemp("site"), free_port("127.0.0.1")
    lay_into(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOG_LEVEL", "INFO")
        process = start(folder, port)
    site = Site(process, port, folder)
    try:
        wait_for(lambda: site.page("/healthz"))
        for _ in range(20):
            site.page("/")
        figures = [site.page("/metrics") for _ in range(4)]
        done = site.manage("shell", "-c", ASK)
        assert done.returncode == 0, done.stderr
        messages = folder / "var" / "queue" / "messages"
        wait_for(lambda: not list(messages.glob("*.gpu.msg")))
        children = psutil.Process(process.pid).children(recursive=True)
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    return figures, errors, children, process.returncode


def test_it_does_not_matter_which_web_process_is_asked(said):
    figures, *_ = said
    line = 'benchsite_request_seconds_count{method="GET",page="home"} 20.0'
    assert all(line in text for text in figures)


def test_every_line_is_one_object_and_a_task_names_the_request_that_asked_for_it(said):
    errors = said[1]
    lines = [json.loads(line) for line in errors.splitlines()]
    assert lines
    assert [line for line in lines if {"event", "level", "logger", "timestamp"} - line.keys()] == []
    tasks = [line for line in lines if line.get("request") == MARK]
    assert [line.get("name_of_task") for line in tasks] == ["evaluation.tasks.work_on_run"]
    assert tasks[0]["task"]


def test_ctrl_c_leaves_nothing_running(said):
    _, errors, children, code = said
    assert code == 0
    assert "Traceback" not in errors
    assert len(children) >= 5
    assert [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []
