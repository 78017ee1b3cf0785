"""Every serving entry point starts under production settings or refuses in one sentence."""

import socket
import subprocess

import pytest
from django.core.management import CommandError, call_command

from benchsite.serving.serve import free_port
from tests.programs import python
from tests.site import PATIENCE, environment, manage
from tests.tables import lay_into

CELERY = ("celery", "-A", "benchsite")
ENTRIES = {
    "pages": ("benchsite.serving.web_server", "127.0.0.1:{port}"),
    "websockets": ("benchsite.serving.websocket_server", "127.0.0.1:{port}"),
    "worker": (*CELERY, "worker", "-P", "solo"),
    "clock": (*CELERY, "beat", "--schedule", "{folder}/beat", "--pidfile="),
    "wsgi": ("gunicorn", "benchsite.wsgi", "--bind", "127.0.0.1:{port}", "--no-control-socket"),
    "asgi": ("uvicorn", "benchsite.asgi:application", "--port", "{port}"),
}
PRINTED = "a-development-secret-that-no-server-uses-0123456789"


def started(name: str, folder, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run this entry point until it ends; one that serves never does."""
    words = [word.format(port=free_port("127.0.0.1"), folder=folder) for word in ENTRIES[name]]
    return python(["-m", *words], environment(folder) | extra, timeout=PATIENCE)


@pytest.mark.parametrize("name", ENTRIES)
def test_without_settings_nothing_that_serves_starts(name, tmp_path):
    done = started(name, tmp_path)
    assert done.returncode == (3 if name == "wsgi" else 2), done.stderr  # gunicorn always ends with its own exit code
    assert "SECRET_KEY is not set" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["pages", "websockets"])
def test_debug_is_for_this_machine_alone(name, tmp_path, monkeypatch):
    monkeypatch.setitem(ENTRIES, name, (ENTRIES[name][0], "0.0.0.0:{port}"))
    done = started(name, tmp_path, DEBUG="1")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "DEBUG=1 shows tracebacks to every visitor: listen on 127.0.0.1 instead of 0.0.0.0" in done.stderr


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"DEBUG": "1"}, "DEBUG=1 shows tracebacks to every visitor"),
        ({"SECRET_KEY": PRINTED}, "SECRET_KEY is the one printed in the source: production needs a secret of its own"),
    ],
)
def test_serve_refuses_before_it_makes_anything(variables, sentence, tmp_path):
    done = manage(tmp_path / "site", "serve", "--host", "0.0.0.0", "--port", str(free_port("127.0.0.1")), **variables)
    assert (done.returncode, sentence in done.stderr, "Traceback" in done.stderr) == (2, True, False), done.stderr
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("address", ["0.0.0.0:8000", "[::]:8000", "site.example:8000"])
def test_the_server_for_development_is_for_this_machine_alone(address, settings, monkeypatch):
    served = []
    monkeypatch.setattr("django.core.management.commands.runserver.Command.run", lambda self, **_: served.append(1))
    settings.DEBUG = True
    with pytest.raises(CommandError, match="DEBUG=1 shows tracebacks to every visitor") as refused:
        call_command("runserver", address)
    assert (refused.value.returncode, served) == (2, [])
    call_command("runserver", "[::1]:8000")
    call_command("runserver", "8000")
    assert served == [1, 1]


def test_development_answers_to_this_machine_alone(tmp_path):
    lay_into(tmp_path)
    script = "from django.conf import settings; print(settings.DEBUG, settings.ALLOWED_HOSTS)"
    done = manage(tmp_path, "shell", "--no-imports", "-c", script)
    assert done.stdout.split(maxsplit=1) == ["True", "['127.0.0.1', '[::1]', 'testserver', 'localhost']\n"], done.stderr
    assert socket.gethostname() not in done.stdout
