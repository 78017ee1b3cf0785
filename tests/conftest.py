"""Fixtures for all tests: users, folders, servers; and hooks that skip, group and report tests."""

import gc
import itertools
import math
import os
import signal
import sys
import threading
import tomllib
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest.runner import runtestprotocol
from django.core.cache import caches
from django.core.handlers.base import BaseHandler
from django.test import override_settings
from django.utils import translation

from benchmarks.definitions.registry import BENCHMARKS
from benchsite.maintenance import state
from benchsite.supervisor.serve import free_port
from tests import factories, warm
from tests.chromium import SharedChromium
from tests.clip_makers import clip_makers_stay
from tests.deep_stack import with_room
from tests.groups import TwoKinds, keep_together, longest_first
from tests.media_children import media_children_stay
from tests.services import missing
from tests.site import manage, running_site
from tests.tables import copied_where_kept, lay_into, permissions_are_copied

SMALL = ("ColorRed", "ShapeCube", "DirectionLeft", "TwoObjectOrdering", "Gravity", "Collision")  # eight folders
MUST_HAVE_SERVICES = os.environ.get("REQUIRE_SERVICES") == "1"

# Tests start some four hundred Python processes, and compiled modules save a fifth of the cost of each.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False  # compiled tests, too: the next run loads them in a third less time

# The time for drawing an example depends on how busy the machine is, not on the code.
hypothesis.settings.register_profile(
    "shared machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("shared machine")

# If a shell starts the tests in the background, they ignore these signals. Child processes would inherit that, and no
# test could stop a site as a terminal does.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name byte parameters by their length: compressed bytes may differ between the worker processes."""
    return f"{argname}-of-{len(val)}" if isinstance(val, bytes) and len(val) > 12 else None


def pytest_configure(config: pytest.Config) -> None:
    config.args = shallow_first(config.args)
    if config.getoption("numprocesses", None):
        os.environ[warm.SERVER] = warm.start_server()  # which all workers use


def shallow_first(arguments: list[str]) -> list[str]:
    """Order the files and folders to test by depth, files first.

    A file makes pytest 9.1 collect its folder anew: folders below it that were collected before lose the fixtures of
    their conftest.py, and their next tests end with "fixture not found".
    """

    def place(argument: str) -> tuple[int, bool]:
        path = Path(argument.partition("::")[0])
        return len(path.resolve().parts), path.is_dir()

    return sorted(arguments, key=place)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Keep benchmarks defined in files from being read from a database during collection."""
    if not session.config.getoption("numprocesses", None):  # the process that shares tests out collects none
        gc.disable()
    BENCHMARKS.source = None


@pytest.hookimpl(wrapper=True)  # around the plugins' own: xdist reads the groups, pytest-django orders all tests
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Skip tests that this machine can't run, or fail if services are required; distribute all others."""
    reasons = {mark: missing(mark) for mark in ("postgres", "redis", "browser", "nginx", "rabbitmq")}
    for item in items:
        for mark, reason in reasons.items():
            if reason and item.get_closest_marker(mark):
                if MUST_HAVE_SERVICES:
                    raise pytest.UsageError(f"REQUIRE_SERVICES=1, but {reason}")
                item.add_marker(pytest.mark.skip(reason=f"SKIPPED LOUDLY: {reason}"))
    is_shared = config.getoption("loadgroup", False)
    if is_shared:
        keep_together(items)
    yield
    if is_shared:
        longest_first(items)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> TwoKinds | None:
    return TwoKinds(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exclude loaded objects from garbage collection, which took an eighth of the tests' processor time."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Run the test as pytest does, with room on the stack: fixtures, clients and pages are called deep in it."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    with_room(runtestprotocol, item, nextitem=nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the main process, remove the group that xdist appends to the names of tests."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        report.nodeid = report.nodeid.partition("@tests/")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator[None, pytest.TestReport, Any]:
    """Shorten the log of a failed test to its last lines: hundreds of requests would hide why it failed."""
    report = yield
    report.sections = [(name, last_lines(text)) for name, text in report.sections]
    return report


def last_lines(text: str, most: int = 40) -> str:
    lines = text.splitlines(keepends=True)
    left_out = f"... {len(lines) - most} lines before these\n" if len(lines) > most else ""
    return left_out + "".join(lines[-most:])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report how many seconds the tests of each folder took, and their budget; exceeding it is no failure."""
    config = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    spent: dict[str, float] = {}
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        folder = folder_of(getattr(report, "nodeid", ""))
        spent[folder] = spent.get(folder, 0.0) + getattr(report, "duration", 0.0)
    for folder, budget in config["tool"]["benchsite"]["budget"].items():
        terminalreporter.write_line(f"{folder}: {spent.get(folder, 0.0):.0f} s of {budget} s")


def folder_of(nodeid: str) -> str:
    """The folder whose budget this test uses: `tests/evaluation`, or `tests` for tests at the top."""
    return "/".join(nodeid.partition("::")[0].split("/")[:2][: 1 if nodeid.count("/") < 2 else 2])


@pytest.fixture(scope="session")
def django_db_setup(request):
    """The test database; its tables are copied from a file if an earlier process has made one."""
    with copied_where_kept():
        request.getfixturevalue("django_db_setup")
    with permissions_are_copied():
        yield


@pytest.fixture(scope="session", autouse=True)
def media_children(tmp_path_factory):
    with media_children_stay(tmp_path_factory.mktemp("clips")):
        yield


@pytest.fixture(scope="session")
def numbered_folders(tmp_path_factory) -> Iterator[Path]:
    """New folders of this process. pytest's own search all earlier ones for the next free number."""
    base = tmp_path_factory.mktemp("tests")
    return (base / str(number) for number in itertools.count())


@pytest.fixture
def tmp_path(numbered_folders) -> Path:
    path = next(numbered_folders)
    path.mkdir()
    return path


@pytest.fixture(scope="session", autouse=True)
def clip_makers():
    with clip_makers_stay():
        yield


@pytest.fixture(scope="session", autouse=True)
def same_for_all_tests():
    """What differs from a site in every test and is set once: a fixture of each test would cost a third as much again.

    Passwords have a fast hash, since no test is about the hash. Ids of items and salts of studies are drawn alike.
    Boards have no short cache, since tests change figures and read them at once.
    """
    different = {
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
        "ACCOUNT_RATE_LIMITS": False,  # hundreds of tests sign in from one address within a minute
    }
    with override_settings(**different), pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.models.public_ids.token_bytes", factories.drawn_bytes)
        patch.setattr("humantrials.models.trials.token_hex", lambda size: "5a" * size)
        patch.setattr("leaderboard.board.cache.GLANCE", 0.0)
        yield


@pytest.fixture(autouse=True)
def own_folders(settings, tmp_path):
    """Give each test its own folders and empty caches."""
    caches["limits"].clear()  # so that the requests of one test don't count in the next
    caches["default"].clear()  # rows of another test may have the same numbers
    settings.DATA_DIR = tmp_path
    settings.VAR_DIR = tmp_path / "var"
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.VAR_DIR.mkdir()
    settings.MEDIA_ROOT.mkdir()
    return tmp_path


@pytest.fixture(autouse=True)
def starts_alike() -> Generator[None]:
    """Let each test start in the same state, whatever earlier ones did.

    The factories' objects are numbered from 1, because trials and runs draw by names; the site is open without a look
    into the database (a test of maintenance calls `state.forget()`). A page in another language leaves it to its
    thread; benchmarks that a test imported from files are forgotten, since their rows are rolled back.
    """
    factories.counter.last = factories.ids.last = 0
    state._read = (math.inf, None)
    yield
    translation.deactivate()
    BENCHMARKS.put_files({})


@pytest.fixture
def empty_metrics():
    """Metrics as of a process that has just started: those of all earlier tests make /metrics a slow page."""
    from benchsite.observability import metrics

    for metric in (metrics.SECONDS, metrics.REQUESTS):
        metric.clear()
    for of_labels in (metrics._seconds_of, metrics._requests_of):
        of_labels.cache_clear()


@pytest.fixture
def nobody_else_works(monkeypatch):
    """Let a command that waits for its run start it at once, since there is no worker in tests."""
    monkeypatch.setattr("evaluation.workers.run_command.PATIENCE", 0.0)
    monkeypatch.setattr("evaluation.workers.run_command.PAUSE", 0.01)


@pytest.fixture
def visitor(client):
    """A client without a signed-in user."""
    return client


@pytest.fixture
def submitter(client, django_user_model):
    """A client signed in as a user who may upload answers."""
    user = django_user_model.objects.create_user("submitter", "submitter@example.org", "a long password 1")
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture
def staff(client, django_user_model):
    """A client signed in as a member of staff."""
    user = django_user_model.objects.create_superuser("staff", "staff@example.org", "a long password 1")
    client.force_login(user)
    client.user = user
    return client


@pytest.fixture(autouse=True)
def live_requests_take_turns(request):
    """Threads of `live_server` share one connection, where transactions of requests that come at once would mix.

    A request that a browser still waits for at the end of a test is answered before the tables are emptied.
    """
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")  # which empties them, after this fixture has ended
    answer, turn = BaseHandler.get_response, threading.RLock()

    def in_turn(self: BaseHandler, asked: Any) -> Any:
        with turn:
            return answer(self, asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseHandler, "get_response", in_turn)
        yield
        with turn:
            pass


@pytest.fixture(scope="session")
def shared_chromium():
    with ExitStack() as until_the_end:
        yield SharedChromium(until_the_end)


@pytest.fixture(scope="module")
def chromium(shared_chromium):
    with shared_chromium.lent() as browser:
        yield browser


@pytest.fixture(scope="session")
def object_store():
    """The address of an S3 server with the bucket `clips`."""
    from moto.server import ThreadedMotoServer

    from tests.deployment.bucket import make_bucket

    server = ThreadedMotoServer("127.0.0.1", port := free_port("127.0.0.1"), verbose=False)
    server.start()
    make_bucket(address := f"http://127.0.0.1:{port}", "clips")
    yield address
    server.stop()


@pytest.fixture(scope="session")
def small_release(tmp_path_factory) -> Path:
    """Eight real clips in the official layout, made by `generate_benchmark`."""
    data, out = tmp_path_factory.mktemp("making"), tmp_path_factory.mktemp("clips")
    lay_into(data)
    options = ("--count", "1", "--only", ",".join(SMALL), "--size", "320x240", "--fps", "10", "--jobs", "1")
    done = manage(data, "generate_benchmark", "grasp", "--out", str(out), *options)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="session")
def small_site(small_release, tmp_path_factory):
    """A running site with its worker processes, whose pack `small` holds those clips."""
    with running_site(tmp_path_factory.mktemp("site"), forks=True) as site:
        done = site.manage("import_benchmark", "grasp", str(small_release), "--pack", "small", "--json")
        assert done.returncode == 0, done.stderr
        yield site
