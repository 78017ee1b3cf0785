"""Fixtures for all tests: users, folders, servers; and hooks that skip, group and report tests."""

import gc
import itertools
import os
import signal
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import caches
from django.core.handlers.base import BaseHandler
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import override_settings
from django.utils import translation

from benchmarks.definitions.registry import BENCHMARKS
from benchsite.serving.serve import free_port
from tests import factories
from tests.chromium import SharedChromium
from tests.clip_makers import clip_makers_stay
from tests.failures import ANOTHER_DATABASE
from tests.media_children import media_children_stay
from tests.network_lock import network_stays
from tests.services import all_missing
from tests.site import manage, running_site
from tests.tables import copied_where_kept, lay_into
from tests.two_writes import SecondConnection

SMALL = ("ColorRed", "ShapeCube", "DirectionLeft", "TwoObjectOrdering", "Gravity", "Collision")  # eight folders
# Fixtures that start a site's processes: all tests that use one run in one process, which starts it once.
SITES = ("cluster", "small_release", "site", "tables")
# What is about how a database locks, refuses and counts: CI runs it on SQLite as well, where sites begin.
ON_BOTH_DATABASES = ("tests/benchsite/sqlite/", "tests/evaluation/queue/", "tests/humantrials/assignment/")
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
    if MUST_HAVE_SERVICES and "PYTEST_XDIST_WORKER" not in os.environ and (reasons := list(all_missing().values())):
        # From a process that only runs tests, pytest-xdist would print an assertion of its own instead.
        raise pytest.UsageError(f"REQUIRE_SERVICES=1, but {'; '.join(reasons)}")
    # Settings are read before the variable goes: sites and commands of tests have databases of their own.
    if not config.getoption("numprocesses", None) and settings.DATABASES:
        os.environ.pop("DATABASE_URL", None)


def shallow_first(arguments: list[str]) -> list[str]:
    """Order the files and folders to test by depth, files first.

    A file makes pytest 9.1 collect its folder anew: folders below it that were collected before lose the fixtures of
    their conftest.py, and their next tests end with "fixture not found".
    """

    def place(argument: str) -> tuple[int, bool]:
        path = Path(argument.partition("::")[0])
        return len(path.resolve().parts), path.is_dir()

    return sorted(arguments, key=place)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `-m embedded`, leave out files without such a test: loading them takes fifteen seconds of each process."""
    return True if lacks_mark(collection_path, config.getoption("markexpr", "")) else None


def lacks_mark(path: Path, expression: str) -> bool:
    """Whether a file of tests has none for both databases, where these alone are wanted."""
    if expression != "embedded" or not path.match("test_*.py"):
        return False
    inside = path.resolve().relative_to(Path(__file__).parent.parent).as_posix()
    return not inside.startswith(ON_BOTH_DATABASES) and "mark.embedded" not in path.read_text()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Keep benchmarks defined in files from being read from a database during collection."""
    if not session.config.getoption("numprocesses", None):  # the process that shares tests out collects none
        gc.disable()
    BENCHMARKS.source = None


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests that this machine can't run, unless services are required; distribute all others."""
    reasons = {} if MUST_HAVE_SERVICES else all_missing()
    for item in items:
        if item.nodeid.startswith(ON_BOTH_DATABASES):
            item.add_marker("embedded")
        if is_for_another_database(item):
            item.add_marker(pytest.mark.skip(reason=f"{ANOTHER_DATABASE}: this test is about SQLite alone"))
        for mark, reason in reasons.items():
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=f"SKIPPED LOUDLY: {reason}"))
    if config.getoption("loadgroup", False):
        keep_together(items)


def keep_together(items: list[pytest.Item]) -> None:
    """Send each file, or all files that share a site, to one process."""
    groups: dict[str, str] = {}
    for item in items:
        file = item.nodeid.partition("::")[0]
        shared = next((name for name in SITES if name in getattr(item, "fixturenames", ())), "")
        groups.setdefault(file, file)
        if shared:
            groups[file] = f"{item._fixtureinfo.name2fixturedefs[shared][-1].baseid}:{shared}"  # type: ignore[attr-defined]
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups[item.nodeid.partition("::")[0]]))


def is_for_another_database(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("embedded")
    return bool(mark and mark.kwargs.get("alone") and connection.vendor != "sqlite")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exclude loaded objects from garbage collection, which took an eighth of the tests' processor time."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In the main process, remove the group that xdist appends to the names of tests."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        report.nodeid = report.nodeid.partition("@tests/")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    with network_stays() if item.get_closest_marker("browser") else nullcontext():
        return (yield)


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
    """The test database; its tables are copied if an earlier process has made them."""
    with copied_where_kept():
        request.getfixturevalue("django_db_setup")


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

    Passwords have a fast hash, since no test is about the hash. Ids of items are drawn alike.
    Boards have no short cache, since tests change figures and read them at once. Uploads are checked by who sends them.
    """
    different = {
        "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
        "ACCOUNT_RATE_LIMITS": False,  # hundreds of tests sign in from one address within a minute
    }
    with override_settings(**different), pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.models.public_ids.token_bytes", factories.drawn_bytes)
        patch.setattr("leaderboard.board.cache.GLANCE", 0.0)
        patch.setattr("evaluation.submissions.store.upload_queue.notify_worker", _check_uploads)
        patch.setattr(BaseDatabaseWrapper, "close_if_unusable_or_obsolete", _closed_outside_of_tests())
        yield


def _check_uploads() -> None:
    from evaluation.submissions.files.rows import Spool
    from evaluation.submissions.store.upload_queue import check, take

    while upload := take():
        check(upload, Spool())


def _closed_outside_of_tests() -> Callable[[BaseDatabaseWrapper], None]:
    """A closed response closes a connection with an open transaction: here that is the transaction of the test."""
    close = BaseDatabaseWrapper.close_if_unusable_or_obsolete

    def close_outside(self: BaseDatabaseWrapper) -> None:
        if not self.in_atomic_block:
            close(self)

    return close_outside


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

    The factories' objects are numbered from 1, because trials and runs draw by names. A page in another language leaves
    it to its thread; benchmarks that a test imported from files are forgotten, since their rows are rolled back.
    """
    factories.counter.last = factories.ids.last = 0
    yield
    translation.deactivate()
    BENCHMARKS.put_files({})


@pytest.fixture
def empty_metrics():
    """Metrics as of a process that has just started: those of all earlier tests make /metrics a slow page."""
    from django_prometheus.middleware import Metrics

    for metric in vars(Metrics.get_instance()).values():
        metric.clear()


@pytest.fixture
def nobody_else_works(monkeypatch):
    """Let a command that waits for its run start it at once, since there is no worker in tests."""
    monkeypatch.setattr("evaluation.workers.run_command.PATIENCE", 0.0)
    monkeypatch.setattr("evaluation.workers.run_command.PAUSE", 0.01)


@pytest.fixture
def second_connection(transactional_db) -> Iterator[SecondConnection]:
    """A second connection to PostgreSQL; SQLite lets one transaction write at a time."""
    if connection.vendor != "postgresql":
        pytest.skip(f"{ANOTHER_DATABASE}: this test is about PostgreSQL alone")
    with ThreadPoolExecutor(1) as threads:
        yield SecondConnection(threads)


@pytest.fixture
def visitor(client):
    """A client without a signed-in user."""
    return client


@pytest.fixture
def one_window(monkeypatch):
    """No window of a limit ends within the test, however slow the machine is."""
    now = time.time() // 3600 * 3600 + 60
    monkeypatch.setattr("accounts.callers.time", SimpleNamespace(time=lambda: now))


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
    with running_site(tmp_path_factory.mktemp("site")) as site:
        done = site.manage("import_benchmark", "grasp", str(small_release), "--pack", "small", "--json")
        assert done.returncode == 0, done.stderr
        yield site
