"""`python -m tests.humantrials.crash_load [--database sqlite|postgres] [--clips N] [--kills N] …`: kill -9 mid-study.

A complete trial. Simulated people come over HTTP, drop out, return late, open second tabs and post twice. Meanwhile the
web server and the worker are killed with -9 and restarted as by `serve`; on PostgreSQL the server's connections are
cut, too. At the end every item must have exactly three counted judgments. Every acknowledged answer (the clients have
their own log) must be stored and exported, and the next person must read "full" before any consent. Prints one JSON
object per database; exit 1 if a condition fails. `make soak` runs it in full.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.humantrials.subprocesses import on_each_database, start_django
from tests.programs import start

SLUG, TESTS, REPLICATES = "besieged", 16, 3
PATIENCE = 1500.0  # seconds for everything
SERVICES, KILLED = ("web", "cpu worker", "clock"), ("web", "cpu worker")
CLIENT = "benchsite-crowd"  # name of the crowd's own connections, so that only the site's are cut


@dataclass(frozen=True)
class Load:
    """The size of the study, and the rates of dropouts and kills."""

    clips: int = 20  # per test and half: 20 is the official size, 120 sheets of 16
    people: int = 600  # at most; they come until the trial is full
    concurrency: int = 32
    kills: int = 5  # of web server and worker together, evenly over the study
    worker: int = 1  # 0 = only the web server
    dropout: float = 0.2
    late: float = 0.08
    second_tab: float = 0.1
    doubled: float = 0.15
    seed: int = 1


def main(arguments: list[str]) -> int:
    return on_each_database("tests.humantrials.crash_load", __doc__, asdict(Load()), arguments, here)


def here(asked: dict[str, Any]) -> int:
    load = Load(**asked)
    report = besiege(load)
    print(json.dumps(report), flush=True)
    return 1 if any(report["findings"].values()) else 0


def besiege(load: Load) -> dict[str, Any]:
    """Start the site, let people come, kill, wait for the end, and check."""
    start_django()
    from django.conf import settings
    from django.db import connection

    from benchsite.serving.serve import free_port

    began, port = time.monotonic(), free_port("127.0.0.1")
    keepers = start_site(port, only=SERVICES if load.worker else SERVICES[:1])
    log = settings.VAR_DIR / "acknowledged.jsonl"
    try:
        prepare(load)
        with tempfile.TemporaryFile("w+") as output:
            crowd = start_crowd(load, f"http://127.0.0.1:{port}", log, output.fileno())
            kills = kill_until_over(keepers, crowd, load)
            code = crowd.wait()
            output.seek(0)
            said = json.loads(output.read() or "{}")
        found = findings(load, log, kills) | {"crowd_failed": code, "not_told_full": not_told_full(port)}
        if load.worker:
            found["board_is_stale"] = board_is_stale(keepers)
    finally:
        from benchsite.serving.processes import stop_all

        stop_all(list(keepers.values()))
    seen = ("arrived", "finished", "left", "late", "turned_away", "refused", "acknowledged", "counted", "surplus")
    facts = {name: said.get(name) for name in seen} | {"log_lines": len(log.read_text().splitlines())}
    return {
        "database": connection.vendor,
        "load": asdict(load),
        **facts,
        "killed": dict(Counter(kills)),
        "findings": found,
        "seconds": round(time.monotonic() - began, 1),
    }


def start_site(port: int, only: tuple[str, ...] = SERVICES) -> dict[str, Any]:
    """Start the web processes, the worker and the scheduler like `serve`, under production settings."""
    from django.conf import settings

    from benchsite.serving.processes import services
    from benchsite.serving.serve import environment, free_port, prepare
    from tests.tables import lay_static

    lay_static(settings.DATA_DIR)
    sockets = free_port("127.0.0.1")
    env = environment(port=port, socket_port=sockets)
    prepare(env)
    every = services(host="127.0.0.1", port=port, socket_port=sockets, env=env)
    keepers = {keeper.name: keeper for keeper in every if service_of(keeper.name) in only}
    for keeper in keepers.values():
        keeper.start()
    return keepers


def service_of(name: str) -> str:
    """The service that a process belongs to: "web" of "web 2"."""
    return name.rstrip(" 0123456789")


def prepare(load: Load, *, slug: str = SLUG, name: str = "main") -> None:
    """Create a pack whose clips share one small file, and an open trial on it without practice."""
    from benchmarks.models import Rendition
    from benchmarks.storage.access import path_of
    from humantrials.models import Trial
    from tests.humantrials.fixtures import physics_pack, running_trial
    from tests.humantrials.site_content import write_clip

    pack = physics_pack(tests=TESTS, clips=load.clips, name=name)
    first, *others = [path_of(rendition) for rendition in Rendition.objects.filter(clip__pack=pack)]
    write_clip(first, seconds=0.4)
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.link(first, path)
    trial = running_trial(pack, slug=slug, seed=load.seed)
    Trial.objects.filter(pk=trial.pk).update(has_own_practice=False)


def start_crowd(load: Load, address: str, log: Path, output: int) -> subprocess.Popen[str]:
    habits = [
        f"--{name.replace('_', '-')}={getattr(load, name)}"
        for name in ("dropout", "late", "second_tab", "doubled", "seed", "concurrency")
    ]
    command = ["manage.py", "simulate_trial", SLUG, "--base-url", address, "--json"]
    env = dict(os.environ)
    if env.get("DATABASE_URL", "").startswith("postgres"):
        env["DATABASE_URL"] += f"?application_name={CLIENT}"
    people = ["--participants", str(load.people), "--log", str(log)]
    return start([*command, *people, *habits], env, stdout=output)


def kill_until_over(keepers: dict[str, Any], crowd: subprocess.Popen[str], load: Load) -> list[str]:
    """Kill at these numbers of judgments, restart dead processes, until the crowd is done; returns what was killed."""
    from humantrials.models import Judgment

    slots = load.clips * 2 * TESTS * REPLICATES
    due = [slots * number // (load.kills + 1) for number in range(1, load.kills + 1)]
    kills: list[str] = []
    deadline = time.monotonic() + PATIENCE
    while crowd.poll() is None:
        if time.monotonic() > deadline:
            crowd.kill()
        if due and Judgment.objects.count() >= due[0] and are_up(keepers):
            due.pop(0)
            kills += kill(keepers)
        for keeper in keepers.values():
            keeper.watch()
        time.sleep(0.1)
    return kills


def are_up(keepers: dict[str, Any]) -> bool:
    return all(keeper.process and keeper.process.poll() is None for keeper in keepers.values())


def kill(keepers: dict[str, Any]) -> list[str]:
    """kill -9 the web server with all its processes and the worker; on PostgreSQL cut their connections first."""
    cut = cut_connections()
    for name in sorted(name for name in keepers if service_of(name) in KILLED):
        os.killpg(keepers[name].process.pid, signal.SIGKILL)
        cut.append(name)
    return cut


def cut_connections() -> list[str]:
    """On PostgreSQL the server ends every connection but those of the crowd and this one."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database()"
            " and pid <> pg_backend_pid() and application_name <> %s",
            [CLIENT],
        )
        return ["connection"] * cursor.fetchone()[0]


def findings(load: Load, log: Path, kills: list[str]) -> dict[str, int]:
    """Counts that must be zero after any faults."""
    from django.db.models import Count, Q

    from benchmarks.models import Item
    from humantrials.models import Judgment, Slot, Trial
    from humantrials.results.exports import judgment_rows
    from humantrials.running.verification import verify

    trial = Trial.objects.get(slug=SLUG)
    counted = Count("judgments", filter=Q(judgments__counts=True))
    asked = Item.objects.annotate(n=counted)
    _, *exported = judgment_rows(trial)
    return {
        "items_missing": load.clips * 2 * TESTS - asked.count(),
        "items_without_three": asked.exclude(n=REPLICATES).count(),
        "slots_without_one": Slot.objects.annotate(n=counted).exclude(n=1).count(),
        "sheets_not_done": trial.sheets.exclude(state="done").count(),
        "promises_broken": len(verify(trial).broken),
        "sheets_uneven_by_answer": uneven_by_answer(trial),
        "acknowledged_and_lost": len(lost(log)),
        "not_exported": Judgment.objects.count() - len(exported),
        "kills_missed": kills_missed(load, kills),
    }


def kills_missed(load: Load, kills: list[str]) -> int:
    """The number of missing kills of whole services; all web processes together are one."""
    killed = Counter(kills)
    wanted = KILLED if load.worker else KILLED[:1]
    return sum(load.kills - killed[name] for name in wanted)


def uneven_by_answer(trial: Any) -> int:
    """The number of sheets whose counted answers deviate by more than one plausible clip from half."""
    from benchmarks.disclosure import SCORER, with_expected

    counted = with_expected(trial.judgments.filter(counts=True), to=SCORER, item="item").values_list(
        "slot__sheet", "expected"
    )
    sheets: dict[int, Counter[str]] = {}
    for sheet, expected in counted:
        sheets.setdefault(sheet, Counter())[expected] += 1
    return sum(abs(each["yes"] - each["no"]) > 1 for each in sheets.values())


def lost(log: Path) -> list[dict[str, Any]]:
    """The lines of the clients' own log whose answer is not stored, of those it has now: people may still answer."""
    from humantrials.models import Judgment

    lines = [json.loads(line) for line in log.read_text().splitlines()]  # first, since an answer is stored before it
    rows = Judgment.objects.values_list("participant__token", "slot__position", "answer")
    stored = {(token, position): answer for token, position, answer in rows}
    return [line for line in lines if stored.get((line["token"], line["position"])) != line["answer"]]


def not_told_full(port: int) -> int:
    """0 if a newcomer after the last sheet reads that all places are taken, and no consent."""
    from humantrials.identities import SIMULATOR_HEADER, simulator_signature
    from humantrials.simulation.browser import PageReader, Visitor

    visitor = Visitor(f"http://127.0.0.1:{port}", {SIMULATOR_HEADER: simulator_signature(SLUG)})
    page = visitor.get(f"/t/{SLUG}/?participant=after-the-last").text
    visitor.close()
    return int("All places are taken" not in page or PageReader(page).step == "consent")


def board_is_stale(keepers: dict[str, Any]) -> int:
    """0 if the worker updates the board with the last answer despite all kills."""
    from humantrials.models import Trial
    from leaderboard.models import Standing

    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        version = Trial.objects.get(slug=SLUG).answers_version
        if Standing.objects.filter(trial__slug=SLUG, source_version=version).exists():
            return 0
        for keeper in keepers.values():
            keeper.watch()
        time.sleep(0.5)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
