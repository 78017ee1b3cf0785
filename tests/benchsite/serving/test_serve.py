"""`benchsite serve`: one command, no container, and nothing left behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
from contextlib import suppress

import psutil
import pytest
from celery.fixups.django import DjangoWorkerFixup

from benchsite.celery import app
from benchsite.serving import data_folder
from benchsite.serving.processes import PARTS, Keeper, model_workers, stop_all
from benchsite.serving.serve import free_port, wait_until_it_answers
from tests.programs import loaded_by, python
from tests.site import (
    PATIENCE,
    ROOT,
    STARTS_WITHIN,
    ServeProcess,
    Site,
    end,
    manage,
    others_read,
    running_site,
    wait_for,
)
from tests.tables import lay_into, lay_static

pytestmark = pytest.mark.worker


def family(process: subprocess.Popen) -> list[psutil.Process]:
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
            found += [child] * ("benchsite.serving.web_server" in child.cmdline())
    return found


STOPPED_WHILE_IT_FORKS = """
import os, signal, sys
from benchsite.serving.processes import Keeper, stop_all
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
signal.signal(signal.SIGTERM, signal.default_int_handler)
keeper = Keeper("sleeper", ["sleep", "60"], dict(os.environ))
try:
    keeper.start()
except KeyboardInterrupt:
    print(keeper.process.pid)
    stop_all([keeper])
"""


def test_a_signal_amid_the_start_of_a_process_ends_the_site_and_the_process():
    done = python(["-c", STOPPED_WHILE_IT_FORKS], dict(os.environ), timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert not psutil.pid_exists(int(done.stdout))


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


def second(folder, *words):
    """What `serve` or another command says in this folder, and how it ends."""
    done = manage(folder, *words)
    return done.returncode, done.stderr.strip().splitlines()


def test_a_second_site_in_one_folder_ends_at_once_and_names_the_first(tmp_path):
    lay_into(folder := tmp_path / "site")
    lay_static(folder)
    port = free_port("127.0.0.1")
    first = ServeProcess(folder, port)
    site = Site(first, port, folder)
    try:
        wait_for(lambda: site.page("/healthz"), STARTS_WITHIN)
        running = psutil.Process(first.pid).children(recursive=True)
        for words in (["--port", str(free_port("127.0.0.1"))], ["--port", str(port)], ["--only", "clock"]):
            code, lines = second(folder, "serve", *words)
            assert (code, len(lines)) == (2, 1), lines
            assert all(part in lines[0] for part in (str(folder), str(first.pid), str(port)))
        assert second(folder, "demo")[0] == 2
        assert [one for one in running if not one.is_running()] == []
        assert site.page("/healthz")
        first.kill()
        first.wait()
        again = ServeProcess(folder, later := free_port("127.0.0.1"))
        try:
            wait_for(lambda: Site(again, later, folder).page("/healthz"), STARTS_WITHIN)
        finally:
            end(again, signal.SIGTERM)
    finally:
        end(first, signal.SIGTERM)


def test_the_parts_of_a_site_may_be_served_apart(settings, tmp_path):
    settings.VAR_DIR = tmp_path / "var"
    with data_folder.held(["web"], 8000), data_folder.held(["cpu", "clock"], 8000):
        for parts in (["web"], ["gpu", "clock"], PARTS):
            with pytest.raises(data_folder.AlreadyServed):
                data_folder.refuse_second(parts)
            with pytest.raises(data_folder.AlreadyServed), data_folder.held(parts, 8001):
                pass
        data_folder.refuse_second(["gpu"])
    data_folder.refuse_second(PARTS)


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
    monkeypatch.setattr("benchsite.serving.serve.SAYS_EVERY", 0.2)
    monkeypatch.setattr("benchsite.serving.processes.RESTART_AFTER", 0.05)
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
    pages = {"leaderboard.pages.comparison", "leaderboard.api.lists", "scipy.special"}
    assert loaded_by("import benchsite.wsgi", pages, os.environ | {"DEBUG": "1"}) == pages
