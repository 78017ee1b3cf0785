"""`python -m bench.load.operator_week [--before COMMIT] [--small]`: an operator's week with one host in use.

The script installs a separate site on PostgreSQL and Redis, with readers, participants and submitters. Then each
process hangs, the disk fills, the database stops, the version changes back and forth, a backup is made, the machine is
lost, and the backup is restored elsewhere on SQLite. Prints a JSON object for each event: seconds until the Operations
page, `/readyz` and `/metrics` reported it, seconds until recovery, and the longest wait for a page. Exit 1 if an event
was not reported within 60 seconds, or if anything acknowledged is missing at the end. With --small no process hangs, no
disk fills and no other version runs; both machines begin with copied tables, one web process serves fewer readers, and
the new machine serves pages only.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from bench.load import fixtures
from bench.load.clients import TLS
from bench.load.fault_injection import Scene, empty_disk, fill_disk, small_disk
from bench.load.servers import Postgres, Redis
from benchsite.supervisor.serve import free_port, is_free
from tests.humantrials.subprocesses import POSTGRES_URL, ROOT, start_django
from tests.site import wait_for
from tests.tables import lay_into, lay_into_postgres, lay_static
from tests.warm import python

SEEN = 60.0  # seconds within which an event must be reported
SECRET, PASSWORD = "of-one-week-" * 4, "a long password 1"
SENDERS = 6
EVERY, EVERY_SMALL = 0.05, 0.5  # seconds between two requests of the reader who times a page
SILENCE = re.compile(r'benchsite_process_silence_seconds\{process="([^"@]+)@[^"]*"\} ([0-9.e+-]+)')
FREE = re.compile(r"^benchsite_free_bytes(?:\{\})? ([0-9.e+-]+)$", re.MULTILINE)
ILL = re.compile(r"<strong>ill</strong>")
AWAY = ("DATABASE_URL", "SECRET_KEY", "DEBUG", "CELERY_BROKER_URL", "REDIS_URL", "MEDIA_STORE", "DATA_DIR")


@dataclass
class Host:
    """A machine with the site: its checkout, its data, and the `serve` that runs there."""

    checkout: Path
    env: dict[str, str]
    port: int
    log: Path
    forks: bool = False  # whether its processes start sooner, as forks of a loaded site
    process: subprocess.Popen | None = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str) -> str:
        """Run a management command; AssertionError with its output if it fails."""
        if self.checkout == ROOT:
            done = python(["manage.py", *arguments], self.env, timeout=600)
        else:  # a fork of this checkout's process would find this checkout's modules
            how: Any = {"cwd": self.checkout, "env": self.env, "capture_output": True, "text": True, "timeout": 600}
            done = subprocess.run([sys.executable, "manage.py", *arguments], **how)
        assert done.returncode == 0, f"{arguments}: {done.stdout[-500:]}{done.stderr[-1500:]}"
        return done.stdout

    def serve(self, *options: str) -> None:
        program = ["-m", "tests.forked_services"] if self.forks else ["manage.py"]
        command = [sys.executable, *program, "serve", "--port", str(self.port), *options]
        log = self.log.open("a")
        self.process = subprocess.Popen(command, cwd=self.checkout, env=self.env, stdout=log, stderr=log)
        wait_for(lambda: self.get("/healthz").status_code == 200)

    def get(self, path: str, **cookies: str) -> httpx.Response:
        try:
            return httpx.get(self.base + path, cookies=cookies, timeout=10, verify=TLS)
        except httpx.HTTPError as error:
            raise OSError(str(error)) from error

    def hand_over(self) -> None:
        """Make `serve` switch to the checkout's version, and wait until it reports this."""
        assert self.process
        length = self.log.stat().st_size
        self.process.send_signal(signal.SIGHUP)
        line = wait_for(lambda: re.search(r"^.*handed over.*$", self.log.read_bytes()[length:].decode(), re.MULTILINE))
        assert "nothing was" not in line[0], line[0]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(90)
            wait_for(partial(is_free, "127.0.0.1", self.port), SEEN)  # its processes end with a killed `serve`


@dataclass
class Week:
    """The site, its services and its users."""

    folder: Path
    host: Host
    postgres: Postgres
    before: str  # the commit of the other version; "" = none, as with --small
    session: str = ""
    visitors: Any = None
    waits: list[float] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def answers(self) -> int:
        """The number of answers that the study has room for."""
        return 4000 if self.before else 750

    def look(self) -> None:
        """A reader who requests a page repeatedly and records the time of each answer."""
        since = time.monotonic()
        while not self.over.is_set():
            with suppress(OSError):
                if self.host.get("/about/statistics/").status_code == 200:
                    self.waits.append(time.monotonic() - since)
                    since = time.monotonic()
            time.sleep(EVERY if self.before else EVERY_SMALL)

    def operations(self) -> str:
        return self.host.get("/operations/", sessionid=self.session).text

    def checks(self) -> dict[str, str]:
        return self.host.get("/readyz").json()["checks"]

    def metrics(self) -> str:
        return self.host.get("/metrics").text

    def is_well(self) -> bool:
        answer = self.host.get("/readyz")
        return answer.status_code == 200 and set(answer.json()["checks"].values()) == {"ok"}


def install(week: Week) -> dict[str, Any]:
    """The recipe's commands in an empty folder, then content and people."""
    began = time.monotonic()
    week.host.manage("upgrade")
    week.host.env |= {"DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    week.host.manage("createsuperuser", "--noinput", "--username", "admin", "--email", "admin@example.org")
    week.host.serve()
    first = time.monotonic() - began
    start_django()
    from bench.load.invariants import Visitors, waited

    week.session = signed_in(week.host)
    addresses = fixtures.make_board(4 if week.before else 2, 160)
    fixtures.make_study(week.answers)
    keys, ids = fixtures.make_senders(SENDERS, 100)
    week.visitors = Visitors(week.host.base, addresses, keys, ids, week.folder / "acknowledged.jsonl")
    threading.Thread(target=week.look, daemon=True).start()
    assert waited(week.visitors.acknowledged)
    return {"first_page_s": first}


def signed_in(host: Host) -> str:
    """The key of the administrator's session, after signing in as people do."""
    with httpx.Client(base_url=host.base, timeout=30, verify=TLS) as browser:
        page = browser.get("/account/sign-in/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token
        fields = {"csrfmiddlewaretoken": token[1], "login": "admin", "password": PASSWORD}
        browser.post("/account/sign-in/", data=fields, headers={"Referer": host.base})
        return browser.cookies["sessionid"]


def seconds_until_noticed(week: Week, since: float, **ways: Callable[[], Any]) -> dict[str, float]:
    """Seconds until each of the channels reported the event; infinite if it never did."""
    found: dict[str, float] = {}
    while len(found) < len(ways) and time.monotonic() - since < 2 * SEEN:
        for name in ways.keys() - found.keys():
            with suppress(OSError, KeyError, ValueError):
                if ways[name]():
                    found[name] = round(time.monotonic() - since, 1)
        time.sleep(0.5)
    return {f"{name}_s": found.get(name, float("inf")) for name in ways}


def hang(names: tuple[str, ...], week: Week) -> dict[str, Any]:
    """Suspend processes (SIGSTOP); `serve` reports and restarts them."""
    from benchsite.observability import heartbeats

    wait_for(lambda: {sign.name for sign in heartbeats.signs()} >= set(names))
    wait_for(partial(supervised_for, heartbeats.HUNG))
    stopped = {sign.name: sign.pid for sign in heartbeats.signs() if sign.name in names}
    since = time.monotonic()
    for pid in stopped.values():
        os.kill(pid, signal.SIGSTOP)
    seen = seconds_until_noticed(
        week,
        since,
        operations=lambda: len(ILL.findall(week.operations())) >= len(stopped),
        readyz=lambda: week.checks()["processes"] != "ok",
        metrics=lambda: silent(week.metrics()) >= set(stopped),
    )

    def is_back() -> bool:
        now = {sign.name: sign for sign in heartbeats.signs() if not sign.is_ill}
        return all(name in now and now[name].pid != pid for name, pid in stopped.items()) and week.is_well()

    return {"stopped": sorted(stopped), **seen, "well_s": until(is_back, since)}


def supervised_for(seconds: float) -> bool:
    """Whether `serve` has written its heartbeat for so long; it restarts nothing before that."""
    from benchsite.observability import heartbeats

    return any(sign.kind == "supervisor" and sign.up_seconds > seconds for sign in heartbeats.signs())


def silent(metrics: str) -> set[str]:
    from benchsite.observability.heartbeats import SILENT

    return {name for name, seconds in SILENCE.findall(metrics) if float(seconds) > SILENT}


def disk(week: Week) -> dict[str, Any]:
    scene = Scene(Path(week.host.env["DATA_DIR"]), {}, None, None)
    since = time.monotonic()
    fill_disk(scene)
    seen = seconds_until_noticed(
        week,
        since,
        operations=lambda: re.search(r"<strong>disk:</strong>", week.operations()),
        readyz=lambda: week.checks()["disk"] != "ok",
        metrics=lambda: float(FREE.findall(week.metrics())[0]) < 1_000_000,
    )
    empty_disk(scene)
    return {**seen, "well_s": until(week.is_well, since)}


def database(week: Week) -> dict[str, Any]:
    """Stop the database as by a loss of power, for six seconds; the Operations page needs it and answers 503."""
    since = time.monotonic()
    week.postgres.kill()
    seen = seconds_until_noticed(
        week,
        since,
        operations=lambda: week.host.get("/operations/", sessionid=week.session).status_code == 503,
        readyz=lambda: week.host.get("/readyz").status_code == 503,
    )
    time.sleep(max(0.0, since + 6 - time.monotonic()))
    week.postgres.start()
    from django.db import connections

    connections.close_all()
    return {**seen, "well_s": until(week.is_well, since)}


def change_version(commit: str, week: Week) -> dict[str, Any]:
    """Switch to another version in the same checkout without a gap (SIGHUP); "" = the same version again."""
    since = time.monotonic()
    if commit:
        subprocess.run(["git", "checkout", "--quiet", commit], cwd=week.host.checkout, check=True)
    week.host.hand_over()
    return {
        "version": commit[:9] or "the same",
        "took_s": time.monotonic() - since,
        "well_s": until(week.is_well, since),
    }


def lose_machine(week: Week) -> dict[str, Any]:
    """Make a backup while people answer; then lose the machine and restore the backup on another with SQLite."""
    began = time.monotonic()
    acknowledged = week.visitors.log.read_text()  # acknowledged before the backup began
    file = week.folder / "week.tar"
    week.host.manage("backup", str(file))
    made = time.monotonic() - began
    week.visitors.go_home()
    week.over.set()
    week.host.stop(signal.SIGKILL)
    week.postgres.kill()
    (elsewhere := week.folder / "elsewhere").mkdir()
    began = time.monotonic()
    own = {"DATA_DIR": str(elsewhere), "SECRET_KEY": SECRET}
    env = {name: value for name, value in week.host.env.items() if name not in AWAY} | own
    week.host = replace(week.host, checkout=ROOT, env=env, process=None)
    if not week.before:
        lay_into(elsewhere)
        lay_static(elsewhere)
    week.host.manage("upgrade")
    week.host.manage("restore", str(file))
    week.host.serve(*(() if week.before else ("--only", "web")))
    (week.folder / "kept.jsonl").write_text(acknowledged)
    missing = week.host.manage("shell", "--verbosity", "0", "--command", COUNT.format(log=week.folder / "kept.jsonl"))
    return {
        "backup_s": made,
        "acknowledged": len(acknowledged.splitlines()),
        "lost": int(missing),
        "restored_s": time.monotonic() - began,
    }


COUNT = "from pathlib import Path; from tests.humantrials.crash_load import lost; print(len(lost(Path('{log}'))))"


def until(what: Callable[[], bool], since: float) -> float:
    wait_for(what)
    return time.monotonic() - since


def nothing_lost(week: Week) -> dict[str, Any]:
    """Check that everything acknowledged until now is stored."""
    from tests.humantrials.crash_load import lost

    return {"acknowledged": week.visitors.acknowledged(), "lost": len(lost(week.visitors.log))}


def events(week: Week, *, small: bool) -> dict[str, Callable[[Week], dict[str, Any]]]:
    """The events, in order."""
    behind = ("gpu1", "cpu", "clock", "websockets")  # names of their heartbeats
    whole: dict[str, Callable[[Week], dict[str, Any]]] = {
        "work hangs": partial(hang, behind),
        "pages hang": partial(hang, ("web",)),
        "disk is full": disk,
    }
    back: dict[str, Callable[[Week], dict[str, Any]]] = {"roll back": partial(change_version, week.before)}
    return {
        "install": install,
        **({} if small else whole),
        "database stops": database,
        **({} if small else back),
        "upgrade": partial(change_version, "" if small else "-"),
        "nothing lost": nothing_lost,
        "machine is lost": lose_machine,
    }


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", default="HEAD~20", help="the other version, a commit of this checkout")
    parser.add_argument("--small", action="store_true", help="no hangs, no full disk, no other version")
    options = parser.parse_args(arguments)
    code = 0
    with ExitStack() as stack:
        week = begun(stack, "" if options.small else options.before)
        for name, event in events(week, small=options.small).items():
            week.waits.clear()
            report = rounded({"event": name, **event(week), "longest_wait_s": max(week.waits, default=0.0)})
            is_good = report.get("lost", 0) == 0 and all(report.get(f"{way}_s", 0) <= SEEN for way in REPORTS)
            code = max(code, int(not is_good))
            print(json.dumps({"measure": "operator's week", **report, "ok": is_good}), flush=True)
    return code


REPORTS = ("operations", "readyz", "metrics")


def rounded(report: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 2) if isinstance(value, float) else value for name, value in report.items()}


def begun(stack: ExitStack, before: str) -> Week:
    """Create a folder with a checkout, PostgreSQL, Redis and its own disk; all are removed at the end."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    folder.chmod(0o755)  # PostgreSQL's own user must read it
    data = folder / "data"
    data.mkdir()
    redis, postgres = Redis(), Postgres(folder / "postgres")
    stack.callback(redis.kill)
    stack.callback(lambda: suppressed(postgres.kill))
    own = small_disk(data, stack) if before else {"WEB_PROCESSES": "1"}
    own |= {"DATA_DIR": str(data), "SECRET_KEY": SECRET, "DATABASE_URL": postgres.url, "LOG_LEVEL": "ERROR"}
    own |= {"CELERY_BROKER_URL": f"{redis.url}/0", "REDIS_URL": f"{redis.url}/1", "STAFF_SECOND_FACTOR": "0"}
    env = {name: value for name, value in os.environ.items() if name not in AWAY} | own
    os.environ |= own
    checkout = folder / "site" if before else ROOT
    if before:
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(checkout)], check=True)
    else:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
        lay_static(data)
        lay_into_postgres(POSTGRES_URL, f"week_{os.getpid()}", postgres.url, postgres.tools)
    host = Host(checkout, env, free_port("127.0.0.1"), folder / "serve.log", forks=not before)
    week = Week(folder, host, postgres, before)
    stack.callback(lambda: week.host.stop())
    stack.callback(week.over.set)
    return week


def suppressed(act: Callable[[], Any]) -> None:
    with suppress(subprocess.CalledProcessError):
        act()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
