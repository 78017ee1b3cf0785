"""`python -m tools.bench.load.faults [--faults kill,disk,…] [--seconds 40]`: injects faults while people use the site.

Readers, participants and submitters use the site throughout, retry as browsers do, and log what the site acknowledged.
After each fault the site must recover by itself, a run must finish, the board must be up to date, and everything in
the log must be stored. Each fault gets its own site; with --small, one site with little content and one web process
gets all of them. Prints a JSON object for each fault; exit 1 if a condition fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.humantrials.subprocesses import ROOT, start_django
from tests.site import other_settings
from tests.tables import lay_into
from tools.bench.load import fixtures
from tools.bench.load.clients import Visitors, findings, seconds_until_well, waited, warm_up
from tools.bench.load.fault_injection import FAULTS, Fault, Scene
from tools.bench.load.servers import Postgres, Redis, Store

SERVICES = ("web", "websockets", "gpu worker", "cpu worker", "clock")
AWAY = {"DATABASE_URL", "SECRET_KEY", "DEBUG", "CELERY_BROKER_URL", "REDIS_URL", "MEDIA_STORE"}
BEFORE = 0.25  # share of the time before the fault
ANSWERS = 600  # answers that the study has room for
SENDERS = 12
QUESTION_SECONDS = 0.15
PUT_OFF = "POST submissions: status 503"  # without a store for their files, senders are asked to come again


@dataclass(frozen=True)
class Scale:
    """Size of the content, and duration of the visits."""

    seconds: int
    rows: int  # on the board that is read
    items: int | None = None  # in the pack of that board; None = all
    sent: int = fixtures.ITEMS_SENT  # rows of a submission
    questions: int = fixtures.QUESTIONS
    hold: float = 60.0  # seconds that a fault lasts at most
    site: Mapping[str, str] = field(default_factory=dict)  # environment variables
    settings: Mapping[str, Any] = field(default_factory=dict)  # in place of the site's own


# A killed worker's lease expires soon, and one web process serves all.
OF_SMALL: dict[str, Any] = {"site": {"WEB_PROCESSES": "1"}, "settings": {"EVALUATION_LEASE_SECONDS": 4}}
SMALL = Scale(seconds=2, rows=2, items=160, sent=100, questions=60, hold=1.0, **OF_SMALL)
OF_FAULTS = {"MIN_FREE_MB": 1, "MEDIA_STORE_SECONDS": 2}  # the disk is small on purpose, the store slow for seconds


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", default=",".join(FAULTS), help=f"of {', '.join(FAULTS)}")
    parser.add_argument("--seconds", type=int, default=40, help="that visitors come, before and after included")
    parser.add_argument("--rows", type=int, default=20, help="on the board that is read")
    parser.add_argument("--small", action="store_true", help="little of everything, and one site for all faults")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    names = options.faults.split(",")
    if unknown := [name for name in names if name not in FAULTS]:
        parser.error(f"no fault named {unknown[0]}: there are {', '.join(FAULTS)}")
    if options.here:
        return here(names, SMALL if options.small else Scale(options.seconds, options.rows))
    together = [options.faults] if options.small else names
    rest = [f"--seconds={options.seconds}", f"--rows={options.rows}", *(["--small"] if options.small else [])]
    return max(apart([f"--faults={each}", *rest]) for each in together)


def apart(arguments: list[str]) -> int:
    """Run in a new process, since the environment must be set before Django starts; return the exit code."""
    command = [sys.executable, "-m", "tools.bench.load.faults", "--here", *arguments]
    env = {key: value for key, value in os.environ.items() if key not in AWAY}
    return subprocess.run(command, cwd=ROOT, env=env).returncode


def here(names: list[str], scale: Scale) -> int:
    faults = {name: FAULTS[name] for name in names}
    code = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)  # PostgreSQL's own user must read it
        data = folder / "data"
        data.mkdir()
        for_site: dict[str, str] = {}
        for fault in faults.values():
            for_site |= fault.prepare(data, stack)
        os.environ |= {"DATA_DIR": str(data), "LOG_LEVEL": "ERROR", **scale.site}
        os.environ |= other_settings(**OF_FAULTS, **scale.settings)
        lay_into(data)
        has_servers = any(fault.has_servers for fault in faults.values())
        redis, postgres = servers(folder, stack) if has_servers else (None, None)
        store = Store(stack) if any(fault.has_store for fault in faults.values()) else None
        for_site |= store.environment if store else {}
        for report in visited(faults, scale, Scene(data, {}, redis, postgres, store), for_site):
            print(json.dumps({"measure": "fault", **report}), flush=True)
            code = max(code, int(any(report["findings"].values())))
    return code


def servers(folder: Path, stack: ExitStack) -> tuple[Redis, Postgres]:
    redis, postgres = Redis(), Postgres(folder / "postgres")
    stack.callback(redis.kill)
    stack.callback(postgres.kill)
    os.environ |= {"DATABASE_URL": postgres.url, "CELERY_BROKER_URL": f"{redis.url}/0", "REDIS_URL": f"{redis.url}/1"}
    return redis, postgres


def visited(faults: dict[str, Fault], scale: Scale, scene: Scene, for_site: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Start the site and yield a report for each fault, injected while visitors use the site."""
    start_django()
    from benchsite.serving.processes import stop_all
    from benchsite.serving.serve import free_port

    port, over = free_port("127.0.0.1"), threading.Event()
    try:
        scene.keepers |= start_site(port, for_site)
        keeper = threading.Thread(target=keep_running, args=(scene.keepers, over))
        keeper.start()
        scene.base = f"http://127.0.0.1:{port}"
        people = prepared(scene, scale)
        for number, (name, fault) in enumerate(faults.items()):
            began = time.monotonic()
            scene.findings = {}
            found = suffered(fault, scale, scene, people, number)
            yield {"fault": name, **found, "took_s": round(time.monotonic() - began)}
    finally:
        over.set()
        keeper.join()
        stop_all(list(scene.keepers.values()))


def start_site(port: int, for_site: dict[str, str]) -> dict[str, Any]:
    """Start the site with the fault's environment variables, which this process's visitors must not have."""
    from tests.humantrials import crash_load

    os.environ |= for_site
    try:
        return crash_load.start_site(port, only=SERVICES)
    finally:
        for name in for_site:
            del os.environ[name]


def keep_running(keepers: dict[str, Any], over: threading.Event) -> None:
    """Restart processes that ended, as `serve` does."""
    while not over.wait(0.3):
        for keeper in keepers.values():
            keeper.watch()


@dataclass(frozen=True)
class Prepared:
    """URLs for readers, keys and item ids for submitters, and a function that starts a run."""

    addresses: list[str]
    keys: list[str]
    ids: list[str]
    start_run: Callable[[int], Any]


def prepared(scene: Scene, scale: Scale) -> Prepared:
    addresses = fixtures.make_board(scale.rows, scale.items)
    fixtures.make_study(ANSWERS)
    keys, ids = fixtures.make_senders(SENDERS, scale.sent)
    start_run = fixtures.make_questions(QUESTION_SECONDS, scale.questions)
    if scene.store:
        scene.store.take_in(scene.folder / "media")
    warm_up(scene.base, people=1 if scale is SMALL else 6)
    return Prepared(addresses, keys, ids, start_run)


def suffered(fault: Fault, scale: Scale, scene: Scene, people: Prepared, number: int) -> dict[str, Any]:
    """Inject a fault between visits and return the report; waits for visits to succeed, however slow the machine."""
    from django.db import connections

    run, log = people.start_run(number), scene.folder.parent / f"acknowledged-{number}.jsonl"
    visitors = Visitors(scene.base, people.addresses, people.keys, people.ids, log, first=1000 * number)
    try:
        time.sleep(scale.seconds * BEFORE)
        is_before = waited(lambda: visitors.acknowledged() and visitors.sent)
        fault.harm(scene)
        time.sleep(min(fault.hold, scale.hold))
        fault.mend(scene)
        well = seconds_until_well(scene.base, people.addresses)
        seen = visitors.acknowledged()
        time.sleep(scale.seconds * (1 - BEFORE))
        is_after = waited(lambda: visitors.acknowledged() > seen)
    finally:
        visitors.go_home()
    connections.close_all()  # the fault may have cut ours
    found = findings(visitors, run, scene.base) | scene.findings
    found |= {"nobody_before": int(not is_before), "nobody_after": int(not is_after), "never_well": int(well is None)}
    if fault.has_store:
        found["pages_failed"] = sum(not error.startswith(PUT_OFF) for error in visitors.clock.errors)
    return {
        "well_after_s": well,
        "acknowledged": visitors.acknowledged(),
        "submissions": len(visitors.sent),
        "failed_tries": len(visitors.clock.errors),
        "first_failures": visitors.clock.errors[:3],
        "findings": found,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
