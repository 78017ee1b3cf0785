"""`manage.py serve`: one command, no container, and nothing left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from celery.fixups.django import DjangoWorkerFixup

from benchsite.celery import app
from benchsite.supervisor.hand_over import NotHandedOver, replace_together
from benchsite.supervisor.processes import Keeper, model_workers, stop_all
from benchsite.supervisor.serve import free_port, wait_until_it_answers
from tests.site import PATIENCE, ROOT, ServeProcess, Site, manage, others_read, running_site, wait_for
from tests.warm import Program

pytestmark = pytest.mark.worker


def family(process: subprocess.Popen | Program) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with running_site(tmp_path_factory.mktemp("site"), empty=True) as site:
        yield site


@pytest.mark.requirement("M15")
def test_one_command_on_an_empty_folder_answers_on_the_first_page(site):
    assert "GRASP" in site.page()
    assert others_read(site.folder / "var") == []
    assert not (ROOT / "docker-compose.yml").exists()


def test_pages_run_under_production_settings(site):
    with pytest.raises(urllib.error.HTTPError) as missing:
        site.page("/no-such-page/")
    assert missing.value.code == 404
    assert "DEBUG" not in missing.value.read().decode()


def test_a_new_database_is_its_owners_alone(tmp_path):
    done = manage(tmp_path, "migrate", "contenttypes", "--verbosity", "0")  # a few tables create the file, too
    assert done.returncode == 0, done.stderr
    assert others_read(tmp_path / "var") == []


def test_a_killed_web_process_is_started_again(site):
    web_processes(site)[0].kill()
    assert wait_for(lambda: site.page("/healthz"))
    wait_for(lambda: len(web_processes(site)) == 2)


def web_processes(site: Site) -> list[psutil.Process]:
    """The site's web processes, without one that ends during the search."""
    found = []
    for child in family(site.process):
        with suppress(psutil.Error):
            found += [child] * ("benchsite.supervisor.web_server" in child.cmdline())
    return found


FORM = (
    b"POST /account/sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Cookie: csrftoken=0123456789abcdefghijABCDEFGHIJ12\r\nContent-Length: 4000\r\nConnection: close\r\n\r\n"
)


def read_a_page(site: Site) -> str:
    return "" if "95 %" in site.page("/about/statistics/") else "another page"


def send_a_form_slowly(site: Site) -> str:
    """Send a form without a token within a second: once all of it is read, the answer is 403."""
    with socket.create_connection(("127.0.0.1", site.port), PATIENCE) as connection:
        connection.sendall(FORM)
        for _ in range(4):
            time.sleep(0.25)
            connection.sendall(b"x" * 1000)
        said = connection.recv(65536)
    return "" if b" 403 " in said[:20] else repr(said[:80])


def repeat(act: Callable[[Site], str], site: Site, over: threading.Event, failures: list[str]) -> None:
    while not over.is_set():
        try:
            failure = act(site)
        except OSError as error:
            failure = repr(error)
        failures += [failure] if failure else []
        time.sleep(0.05)


def test_new_processes_take_over_and_nobody_is_sent_away(site):
    before, over, failures = family(site.process), threading.Event(), []
    acts = (read_a_page, *[send_a_form_slowly] * 4)
    visitors = [threading.Thread(target=repeat, args=(act, site, over, failures)) for act in acts]
    for visitor in visitors:
        visitor.start()
    site.process.send_signal(signal.SIGHUP)
    try:
        wait_for(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in before))
        wait_for(lambda: len(family(site.process)) >= len(before))
    finally:
        over.set()
        visitors[-1].join(30)
        stuck = system_calls(site) if visitors[-1].is_alive() else {}
        for visitor in visitors:
            visitor.join(PATIENCE)
    assert failures == [], f"the web processes were in {stuck}"
    assert len(web_processes(site)) == 2
    assert others_read(site.folder / "var") == []


def system_calls(site: Site) -> dict[int, list[str]]:
    """What the threads of each web process wait for: number and arguments of the system call."""
    found: dict[int, list[str]] = {}
    with suppress(OSError, psutil.Error):
        for process in web_processes(site):
            threads = (Path(f"/proc/{process.pid}/task/{one.id}/syscall") for one in process.threads())
            found[process.pid] = [thread.read_text().strip() for thread in threads]
    return found


@pytest.mark.parametrize(
    ("program", "why"),
    [("raise SystemExit(3)", "ended with exit code 3"), ("import time; time.sleep(601)", "not ready after 1 s")],
)
def test_where_the_new_version_does_not_start_the_old_processes_go_on(program, why):
    keeper = Keeper("web", [sys.executable, "-c", "import time; time.sleep(600)"], dict(os.environ))
    keeper.start()
    old, keeper.command = keeper.process, [sys.executable, "-c", program]
    try:
        with pytest.raises(NotHandedOver, match=why):
            replace_together([keeper], lambda pid: False, 1.0 if "sleep" in program else PATIENCE)
        assert (keeper.process, old.poll()) == (old, None)
        assert not [child for child in psutil.Process().children() if child.cmdline()[-1] == str(program)]
    finally:
        stop_all([keeper])


def test_a_taken_port_is_one_clear_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = ServeProcess(tmp_path / "site", port)
        _, errors = process.output()
    assert process.returncode == 2
    assert f"port {port} is taken" in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "site").exists()


LATE = """
import sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class Web(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
time.sleep(1)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Web).serve_forever()
"""
NEVER = "import time; time.sleep(600)"


@pytest.mark.parametrize(
    ("program", "seconds", "comes", "told"),
    [
        (LATE, 600, True, r"web is still starting, after \d+ s of 600 at most"),
        (NEVER, 3, False, r"web is still starting, after \d s of 3 at most"),
        ("raise SystemExit(3)", 600, False, r"web stopped \(exit code 3\); it starts again in 0 s"),
    ],
)
def test_pages_are_waited_for_while_their_process_lives(settings, monkeypatch, program, seconds, comes, told):
    monkeypatch.setattr("benchsite.supervisor.serve.SAYS_EVERY", 0.2)
    monkeypatch.setattr("benchsite.supervisor.processes.RESTART_AFTER", 0.05)
    settings.START_SECONDS = seconds
    port, said = free_port("127.0.0.1"), []
    web = Keeper("web", [sys.executable, "-c", program, str(port)], {})
    web.start()
    try:
        assert wait_until_it_answers("127.0.0.1", port, [web], said.append) is comes
    finally:
        stop_all([web])
    assert any(re.fullmatch(told, line) for line in said)
    assert web.deaths == (3 if "SystemExit" in program else 0)


@pytest.mark.parametrize(
    ("count", "cards", "seen"), [(1, 0, [None]), (3, 0, [None] * 3), (1, 2, ["0", "1"]), (4, 2, ["0", "1", "0", "1"])]
)
def test_each_graphics_card_has_a_worker_that_sees_it_alone(count, cards, seen):
    keepers = model_workers(["celery"], {}, count=count, cards=cards)
    assert [keeper.env.get("CUDA_VISIBLE_DEVICES") for keeper in keepers] == seen
    assert len({keeper.name for keeper in keepers}) == len({tuple(keeper.command) for keeper in keepers}) == len(seen)


def test_workers_and_the_clock_load_no_page_for_checks_that_nobody_reads(monkeypatch):
    run = []
    monkeypatch.setattr("django.core.checks.run_checks", lambda: run.append("checks"))
    DjangoWorkerFixup(app).validate_models()
    assert run == []


def test_a_web_process_has_loaded_every_page_before_its_first_visitor():
    pages = {"leaderboard.views.comparison", "leaderboard.api.lists", "scipy.special"}
    loaded = f"import sys, benchsite.wsgi; print({pages} <= set(sys.modules))"
    env = os.environ | {"DEBUG": "1"}
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, env=env, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout.splitlines()[-1:] == ["True"], done.stderr
