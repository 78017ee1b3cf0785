"""`python -m tools.bench.trials.vs_otree`: people a minute here and in oTree, in alternating rounds, over plain pages.

The same client makes the same 16 judgments over the same 19 pages (consent, instructions, 16 clips, end), posting each
answer as a form that leads to the next page: 120 people, 32 at a time, on SQLite. Each site is started by its own
production command. A third run is our site with JavaScript: the player sends each answer from one page. Clips are not
fetched: so no answer counts here, and each sheet is asked once more, which is the dearest end. There are three rounds
each, and the median counts. People a minute also depend on the client's work and on
other load, so the processor time of each site's web processes for one person is given too.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from humantrials.simulation.browser import PageReader
from tests.humantrials.subprocesses import ROOT, on_each_database, start_django
from tests.site import wait_for
from tools.bench.load.clients import TimedVisitor, Timings, load_now, middle, processor_seconds

OTREE, STUDY = ROOT / "var" / "otree", Path(__file__).resolve().parent / "otree_study"
VERSION = "otree==6.0.15"
PAGES, SHEET = 19, 16
# At least so many times oTree's people a minute: over plain pages, and with script.
TIMES = {"benchsite": 3.0, "script": 6.0}
SHEETS_A_CLIP = 6  # 16 tests × 2 sides × 3 answers / 16 answers a sheet
FIGURES = ("people_a_minute", "processor_ms_a_person", "answer_p50_ms", "answer_p95_ms", "errors", "load_before")
# Both are searched alike: a parser of our pages took a seventh of what the site takes, on the same processor.
FORM, POSITION = re.compile(r'name="answer"'), re.compile(r'data-position="(\d+)"')


@dataclass(frozen=True)
class Load:
    """Number of people, how many at once, and rounds."""

    people: int = 120
    concurrency: int = 32
    rounds: int = 3


Walk = Callable[[TimedVisitor, int], int]  # visitor, number -> pages seen


@dataclass(frozen=True)
class RunningSite:
    """A site's URL, and the sessions of the processes that answer."""

    base: str
    sessions: tuple[int, ...]


def main(arguments: list[str]) -> int:
    return on_each_database(
        "tools.bench.trials.vs_otree", __doc__, asdict(Load()), ["--database=sqlite", *arguments], here
    )


def here(questions: dict[str, Any]) -> int:
    load = Load(**questions)
    start_django()
    prepare_otree()
    found: dict[str, list[dict[str, float]]] = {"benchsite": [], "script": [], "otree": []}
    with our_site(load) as (ours, walks), otree_site(load) as (theirs, join):
        for number in range(load.rounds):
            found["benchsite"].append(measure(ours, load, walks(f"round-{number}", has_script=False)))
            found["script"].append(measure(ours, load, walks(f"script-{number}", has_script=True)))
            found["otree"].append(measure(theirs, load, join(number)))
    return report(found, load)


def report(found: dict[str, list[dict[str, float]]], load: Load) -> int:
    both: dict[str, Any] = {"measure": "beside", "otree_version": VERSION, **asdict(load)}
    for name, rounds in found.items():
        for figure in FIGURES:
            both[f"{name}_{figure}"] = middle([one[figure] for one in rounds])
        both[f"{name}_rounds"] = [one["people_a_minute"] for one in rounds]
    theirs = both["otree_people_a_minute"]
    times = {name: round(both[f"{name}_people_a_minute"] / theirs, 2) for name in TIMES}
    their_work = both["otree_processor_ms_a_person"]
    both["times_less_processor"] = {
        name: round(their_work / both[f"{name}_processor_ms_a_person"], 2) for name in TIMES
    }
    errors = sum(both[f"{name}_errors"] for name in TIMES)
    both |= {"times": times, "ok": not errors and all(times[name] >= least for name, least in TIMES.items())}
    print(json.dumps(both), flush=True)
    return 0 if both["ok"] else 1


def measure(site: RunningSite, load: Load, walk: Walk) -> dict[str, float]:
    """Let everybody go through the study, so many at a time; return people a minute, errors, times, processor time."""
    clock = Timings()

    def go_through(number: int) -> None:
        visitor = TimedVisitor(site.base, clock)
        pages = walk(visitor, number)
        visitor.close()
        if pages != PAGES:
            clock.fail(f"{number} saw {pages} pages")

    before, used, began = load_now(), processor_seconds(site.sessions), time.perf_counter()
    with ThreadPoolExecutor(load.concurrency) as pool:
        list(pool.map(go_through, range(load.people)))
    seconds, used = time.perf_counter() - began, processor_seconds(site.sessions) - used
    for error in clock.errors[:3]:
        print(error, file=sys.stderr)
    return {
        "people_a_minute": round(60 * load.people / seconds, 1),
        "processor_ms_a_person": round(1000 * used / load.people, 1),
        "errors": len(clock.errors),
        "load_before": before,
        **clock.summary("answer"),
    }


@contextmanager
def our_site(load: Load) -> Iterator[tuple[RunningSite, Callable[..., Walk]]]:
    """Run the site with new trials for each round, warmed up by a small one; yields it and the walks."""
    from benchsite.serving.processes import stop_all
    from benchsite.serving.serve import free_port
    from tests.humantrials import crash_load

    port = free_port("127.0.0.1")
    keepers = crash_load.start_site(port)
    try:
        rounds = [f"{kind}-{number}" for kind in ("round", "script") for number in range(load.rounds)]
        for name in ("warm", *rounds):
            clips = 1 if name == "warm" else math.ceil(load.people / SHEETS_A_CLIP)
            crash_load.prepare(crash_load.Load(clips=clips), slug=name, name=name)
        base = f"http://127.0.0.1:{port}"
        for number in range(6):
            walk_ours("warm", has_script=number % 2 == 1)(TimedVisitor(base, Timings()), number)
        web = [keeper.process.pid for keeper in keepers.values() if keeper.process and keeper.name.startswith("web")]
        yield RunningSite(base, tuple(web)), walk_ours
    finally:
        stop_all(list(keepers.values()))


def walk_ours(slug: str, *, has_script: bool) -> Walk:
    send = answer_from_one_page if has_script else answer_page_by_page

    def walk(visitor: TimedVisitor, number: int) -> int:
        door = f"/t/{slug}/?participant=p{number}"
        consent = PageReader(visitor.get(door).text).fields
        path = visitor.post(door, {**consent, "choice": "yes"}).path
        page = visitor.post(path, {"step": "instructions"})
        answered, last = send(visitor, path, page.text)
        return 3 + answered if "data-code" in last else 0

    return walk


def answer_page_by_page(visitor: TimedVisitor, path: str, text: str) -> tuple[int, str]:
    """Each answer as a form that leads to the next clip; the number of answers and the last page."""
    answered = 0
    while position := POSITION.search(text):
        text = visitor.timed_post("answer", f"{path}answer/", fields_of(int(position[1]))).text
        answered += 1
    return answered, text


def answer_from_one_page(visitor: TimedVisitor, path: str, text: str) -> tuple[int, str]:
    """Each answer as the player sends it, and the last page after them."""
    positions = PageReader(text).positions
    for position in positions:
        visitor.timed_post("answer", f"{path}answer/", fields_of(position), {"Accept": "application/json"})
    return len(positions), visitor.get(path).text


def fields_of(position: int) -> dict[str, str]:
    return {"position": str(position), "answer": "yes", "seconds": "10.0", "clock": "none"}


def prepare_otree() -> None:
    """Install oTree into a separate environment, once."""
    if not (OTREE / "bin" / "otree").is_file():
        subprocess.run([sys.executable, "-m", "venv", str(OTREE)], check=True)
        subprocess.run([str(OTREE / "bin" / "pip"), "install", "--quiet", VERSION], check=True)


@contextmanager
def otree_site(load: Load) -> Iterator[tuple[RunningSite, Callable[[int], Walk]]]:
    """Run oTree's production server with the same study and a session for each round; yields it and the walks."""
    from benchsite.serving.serve import free_port

    port = free_port("127.0.0.1")
    base = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "_static").mkdir()
        shutil.copytree(STUDY, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        env = {"PATH": f"{OTREE / 'bin'}:{os.environ['PATH']}", "OTREE_PRODUCTION": "1", "HOME": folder}
        command, quiet = [str(OTREE / "bin" / "otree"), "prodserver", f"127.0.0.1:{port}"], subprocess.DEVNULL
        server = subprocess.Popen(command, cwd=folder, env=env, stdout=quiet, stderr=quiet, start_new_session=True)
        try:
            wait_for(lambda: urlopen(f"{base}/api/otree_version", timeout=5))
            walk_otree(new_session(base, 6))(TimedVisitor(base, Timings()), 0)
            yield RunningSite(base, (server.pid,)), lambda number: walk_otree(new_session(base, load.people))
        finally:
            os.killpg(server.pid, 9)
            server.wait()


def new_session(base: str, people: int) -> str:
    """Create an oTree session; return the path by which participants join."""
    body = json.dumps({"session_config_name": "plausibility", "num_participants": people}).encode()
    request = Request(f"{base}/api/sessions", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=120) as reply:
        return "/" + json.loads(reply.read())["session_wide_url"].split("/", 3)[3]


def walk_otree(join: str) -> Walk:
    def walk(visitor: TimedVisitor, number: int) -> int:
        page = visitor.get(join)
        pages = 1
        for _ in range(2):  # consent, instructions
            page = visitor.post(page.path, {})
            pages += 1
        while FORM.search(page.text):
            page = visitor.timed_post("answer", page.path, {"answer": "yes"})
            pages += 1
        return pages if "you are done" in page.text else 0

    return walk


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
