"""Duration without answers while `serve` hands over to new processes (SIGHUP), compared with a restart of the site.

    python -m bench upgrade_gap

A visitor requests a page every 20 ms, each time with a new connection, and records the time of the answer. The site has
SQLite, the demo's processes and no content. `longest` is the longest answer; `refused` counts tries without one.
"""

import json
import signal
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.site import ServeProcess, Site, wait_for
from tests.tables import lay_into

EVERY = 0.02  # seconds


@dataclass
class Visitor:
    """Requests repeatedly and records the time from the first try to the answer."""

    site: Site
    waits: list[float] = field(default_factory=list)
    refused: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def ask_on(self) -> None:
        since = time.perf_counter()
        while not self.is_over.is_set():
            try:
                with urllib.request.urlopen(f"{self.site.address}/about/statistics/", timeout=60) as answer:
                    answer.read()
            except OSError:
                self.refused += 1
            else:
                self.waits.append(time.perf_counter() - since)
                since = time.perf_counter() + EVERY
            time.sleep(EVERY)


def measured(way: str, site: Site, act: Callable[[Site], None]) -> dict:
    visitor = Visitor(site)
    thread = threading.Thread(target=visitor.ask_on)
    thread.start()
    time.sleep(2)
    began = time.perf_counter()
    act(site)
    seconds = time.perf_counter() - began
    time.sleep(2)
    visitor.is_over.set()
    thread.join()
    waits = sorted(visitor.waits)
    return {
        "way": way,
        "longest": round(waits[-1], 3),
        "median": round(waits[len(waits) // 2], 3),
        "refused": visitor.refused,
        "seconds": round(seconds, 1),
    }


def hand_over(site: Site) -> None:
    assert isinstance(site.process, ServeProcess)
    site.process.send_signal(signal.SIGHUP)
    while "\nhanded over" not in (log := site.process.log_so_far()):
        if "nothing was handed over" in log:
            raise SystemExit(log)
        time.sleep(EVERY)


def restart(site: Site) -> None:
    stop(site)
    site.process = ServeProcess(site.folder, site.port)
    wait_for(lambda: site.page("/healthz"))


def stop(site: Site) -> None:
    site.process.send_signal(signal.SIGTERM)
    site.process.wait(60)


def main() -> None:
    from benchsite.supervisor.serve import free_port

    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name) / "site", free_port("127.0.0.1")
        folder.mkdir()
        lay_into(folder)
        site = Site(ServeProcess(folder, port), port, folder)
        try:
            wait_for(lambda: site.page("/healthz"))
            time.sleep(15)  # so that all processes run
            for way, act in (("hand over", hand_over), ("restart", restart)):
                print(json.dumps(measured(way, site, act)))
        finally:
            stop(site)


if __name__ == "__main__":
    main()
