"""What every test may lean on: the people of the site, its folders, and the servers where they run."""

import itertools
import math
import os
import shutil
import signal
import socket
import tomllib
from collections.abc import Generator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import hypothesis
import pytest
from django.core.cache import caches

from benchsite.serving import free_port
from tests.chromium import PATH, open_chromium
from tests.site import manage, running_site

SMALL = ("ColorRed", "ShapeCube", "DirectionLeft", "TwoObjectOrdering", "Gravity", "Collision")  # eight folders
MUST_HAVE_SERVICES = os.environ.get("REQUIRE_SERVICES") == "1"
POSTGRES_URL = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/9")

# Tests start some two hundred Python processes: modules that are compiled already are a fifth of what each costs.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Several test processes share the cores: torch in each of them takes one. Read when torch is imported.
if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) > 1:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long drawing an example takes says how busy the machine is, and nothing about the code.
hypothesis.settings.register_profile(
    "shared machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("shared machine")

# A shell that starts the tests in the background has them ignore these, and what they start would inherit that: a site
# could not be ended as a terminal does it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def answers(url: str) -> bool:
    """Whether something listens where this address points."""
    address = urlparse(url)
    try:
        socket.create_connection((address.hostname or "127.0.0.1", address.port or 0), timeout=2).close()
    except OSError:
        return False
    return True


def _missing(mark: str) -> str:
    if mark == "postgres" and not answers(POSTGRES_URL):
        return f"PostgreSQL is not at {POSTGRES_URL}"
    if mark == "redis" and not answers(REDIS_URL):
        return f"Redis is not at {REDIS_URL}"
    if mark == "nginx" and not (shutil.which("nginx") and shutil.which("redis-server")):
        return "nginx and redis-server are not installed"
    if mark == "browser" and not shutil.which(PATH):
        return f"no Chromium at {PATH}"
    return ""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their length: packed ones may differ between the processes that share the tests."""
    return f"{argname}-of-{len(val)}" if isinstance(val, bytes) and len(val) > 12 else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip loudly what this machine cannot run; where services are required, fail instead."""
    reasons = {mark: _missing(mark) for mark in ("postgres", "redis", "browser", "nginx")}
    for item in items:
        for mark, reason in reasons.items():
            if reason and item.get_closest_marker(mark):
                if MUST_HAVE_SERVICES:
                    raise pytest.UsageError(f"REQUIRE_SERVICES=1, but {reason}")
                item.add_marker(pytest.mark.skip(reason=f"SKIPPED LOUDLY: {reason}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator[None, pytest.TestReport, Any]:
    """Of what a failed test logged, the last lines: hundreds of requests would hide why it failed."""
    report = yield
    report.sections = [(name, last_lines(text)) for name, text in report.sections]
    return report


def last_lines(text: str, most: int = 40) -> str:
    lines = text.splitlines(keepends=True)
    left_out = f"... {len(lines) - most} lines before these\n" if len(lines) > most else ""
    return left_out + "".join(lines[-most:])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many seconds each issue's tests took, beside its budget (reported, never a reason to fail)."""
    config = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    spent: dict[str, float] = {}
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        letter = next((value for name, value in getattr(report, "user_properties", ()) if name == "issue"), "A")
        spent[letter] = spent.get(letter, 0.0) + getattr(report, "duration", 0.0)
    for letter, budget in config["tool"]["benchsite"]["budget"].items():
        terminalreporter.write_line(f"issue {letter}: {spent.get(letter, 0.0):.0f} s of {budget} s")


@pytest.fixture(autouse=True)
def own_issue(request: pytest.FixtureRequest, record_property) -> None:
    """Remember which issue's budget the test belongs to."""
    mark = request.node.get_closest_marker("issue")
    record_property("issue", mark.args[0] if mark else "A")


@pytest.fixture(autouse=True)
def own_folders(settings, tmp_path):
    """Each test writes into folders of its own, and hashes passwords fast: the hash is not what is tested."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.ACCOUNT_RATE_LIMITS = False  # hundreds of tests sign in from one address within a minute
    caches["limits"].clear()  # and what one test called or sent is not counted in the next
    settings.DATA_DIR = tmp_path
    settings.VAR_DIR = tmp_path / "var"
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.VAR_DIR.mkdir()
    settings.MEDIA_ROOT.mkdir()
    return tmp_path


@pytest.fixture(autouse=True)
def numbered_from_one(monkeypatch):
    """What is made for a test has the same names whichever tests ran before it: trials and runs draw by names."""
    monkeypatch.setattr("tests.factories.counter", itertools.count(1))


@pytest.fixture(autouse=True)
def boards_are_looked_at_anew(monkeypatch):
    """Tests change figures behind the site's back and want to see them in the same moment."""
    monkeypatch.setattr("leaderboard.caching.GLANCE", 0.0)


@pytest.fixture(autouse=True)
def site_is_open(monkeypatch):
    """Nobody asks the database whether the site is under maintenance; who tests that says `state.forget()`."""
    monkeypatch.setattr("benchsite.maintenance.state._read", (math.inf, None))


@pytest.fixture
def nobody_else_works(monkeypatch):
    """A command that waits for its run begins with it at once: no worker could come."""
    monkeypatch.setattr("evaluation.waiting.PATIENCE", 0.0)
    monkeypatch.setattr("evaluation.waiting.PAUSE", 0.01)


@pytest.fixture
def visitor(client):
    """Somebody who is not signed in."""
    return client


@pytest.fixture
def submitter(client, django_user_model):
    """Somebody signed in who may upload answers."""
    user = django_user_model.objects.create_user("submitter", "submitter@example.org", "a long password 1")
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture
def staff(client, django_user_model):
    """A member of staff, signed in."""
    user = django_user_model.objects.create_superuser("staff", "staff@example.org", "a long password 1")
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture(scope="module")
def chromium():
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def object_store():
    """The address of a store of objects with the bucket `clips`."""
    from moto.server import ThreadedMotoServer

    from tests.machines.bucket import make_bucket

    server = ThreadedMotoServer("127.0.0.1", port := free_port("127.0.0.1"), verbose=False)
    server.start()
    make_bucket(address := f"http://127.0.0.1:{port}", "clips")
    yield address
    server.stop()


@pytest.fixture(scope="session")
def small_release(tmp_path_factory) -> Path:
    """Eight real clips in the official layout, made by the command that users type."""
    data, out = tmp_path_factory.mktemp("making"), tmp_path_factory.mktemp("clips")
    options = ("--count", "1", "--only", ",".join(SMALL), "--size", "320x240", "--fps", "25", "--jobs", "2")
    done = manage(data, "generate_benchmark", "grasp", "--out", str(out), *options)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="session")
def small_site(small_release, tmp_path_factory):
    """A running site, worker processes and all, whose pack `small` holds those clips."""
    with running_site(tmp_path_factory.mktemp("site")) as site:
        done = site.manage("import_benchmark", "grasp", str(small_release), "--pack", "small", "--json")
        assert done.returncode == 0, done.stderr
        yield site
