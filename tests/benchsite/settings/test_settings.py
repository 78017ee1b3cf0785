"""The site refuses to start wrong, and says what may be set."""

import re
import subprocess
import sys

import pytest

from tests.site import ROOT, environment, manage

NAMED = re.compile(r"""(?:env\.\w+\(|environ\.get\(|environ\[)\s*"([A-Z][A-Z0-9_]+)\"""")
FOLDERS = ("benchsite", "benchmarks", "evaluation", "humantrials", "leaderboard", "accounts", "scenes")
OF_THE_MACHINE = {"DJANGO_SETTINGS_MODULE", "MUJOCO_GL", "BROWSER_PATH", "REQUIRE_SERVICES", "OMP_NUM_THREADS"}


def test_every_setting_is_in_the_docs():
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    named = {name for path in sources for name in NAMED.findall(path.read_text())} - OF_THE_MACHINE
    documented = set(re.findall(r"^\| `([A-Z0-9_]+)` \|", (ROOT / "docs/deploying.md").read_text(), re.MULTILINE))
    assert "SECRET_KEY" in named
    assert named <= documented, f"not in docs/deploying.md: {sorted(named - documented)}"


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"DEBUG": "yes"}, "DEBUG='yes': write 1 or 0"),
        ({"DEBUG": "0"}, "SECRET_KEY is not set"),
        ({"SOCKET_URL": "ws://*"}, "SOCKET_URL='ws://*': write ws://HOST:PORT or wss://HOST"),
        ({"SOCKET_URL": "https://live.example"}, "SOCKET_URL='https://live.example': write ws://HOST:PORT"),
        ({"SOCKET_URL": "ws://a.example:80; script-src *"}, "write ws://HOST:PORT or wss://HOST"),
        ({"HSTS_PRELOAD": "yes"}, "HSTS_PRELOAD='yes': write 1 or 0"),
        ({"MEDIA_STORE": "tape"}, "MEDIA_STORE='tape': write one of"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(variables, sentence, tmp_path):
    done = manage(tmp_path, "check", **variables)
    assert done.returncode != 0
    assert sentence in done.stderr


ANY_TEXT = {
    "DATA_DIR",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "EMAIL_FROM",
    "RELEASES_DIR",
    "COMMIT",
    "METRICS_TOKEN",
    "PROLIFIC_TOKEN",
}
EACH_WRONG_ONCE = """
import importlib, os, sys
from django.core.exceptions import ImproperlyConfigured
for name in sys.argv[1:]:
    if not os.fork():
        os.environ[name] = "wrong!"
        try:
            importlib.import_module("benchsite.settings")
            print(f"{name} is taken", flush=True)
        except ImproperlyConfigured as error:
            said = str(error)
            print("named" if name in said and "\\n" not in said else f"{name}: {said}", flush=True)
        os._exit(0)
    os.wait()
"""


def test_each_setting_that_is_wrong_is_named_in_one_sentence():
    source = (ROOT / "benchsite/settings/__init__.py").read_text()
    checked = sorted(set(NAMED.findall(source)) - ANY_TEXT)
    assert len(checked) > 40
    done = subprocess.run(
        [sys.executable, "-c", EACH_WRONG_ONCE, *checked],
        cwd=ROOT,
        env=environment(ROOT),
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == ["named"] * len(checked), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("variables", "sent"),
    [
        ({}, "max-age=31536000"),
        ({"HSTS_SUBDOMAINS": "1"}, "max-age=31536000; includeSubDomains"),
        ({"HSTS_SUBDOMAINS": "1", "HSTS_PRELOAD": "1"}, "max-age=31536000; includeSubDomains; preload"),
        ({"SITE_URL": "http://site.example"}, None),
    ],
)
def test_only_what_is_asked_for_is_promised_of_the_whole_domain(variables, sent, tmp_path):
    script = (
        "from django.test import Client;"
        "print(Client().get('/healthz', HTTP_X_FORWARDED_PROTO='https').headers.get('Strict-Transport-Security'))"
    )
    done = manage(tmp_path, "shell", "--no-imports", "-c", script, **{"SITE_URL": "https://site.example"} | variables)
    assert done.stdout.strip() == str(sent), done.stderr


@pytest.mark.parametrize("address", ["wss://live.example", "ws://localhost:8000", "ws://[::1]:8001", "wss://a.b/live/"])
def test_the_address_of_websockets_is_read(address, tmp_path):
    script = "from django.conf import settings; print(settings.SOCKET_URL)"
    done = manage(tmp_path, "shell", "--no-imports", "-c", script, SOCKET_URL=address)
    assert done.stdout.strip() == address.rstrip("/"), done.stderr


def test_no_heavy_library_is_loaded_at_site_start(tmp_path):
    heavy = ("torch", "transformers", "lemminflect", "mujoco", "av", "skia", "cairosvg", "pandas", "scipy")
    script = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'benchsite.settings'; import django; django.setup();"
        "import benchsite.urls, benchsite.celery;"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
