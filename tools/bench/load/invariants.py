"""Visitors who retry as browsers do, and the invariants checked after their visit."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import httpx

from humantrials.simulation.browser import JSON, SiteAway
from tools.bench.load import clients
from tools.bench.trials.timing import TimedVisitor, Timings

PEOPLE, PAGES, PAUSE = 4, 4.0, 0.4  # participants; pages a second; seconds between two answers
SEND_EVERY, PATIENCE = 4.0, 300.0  # seconds; the latter is enough on a busy machine
AFTERWARDS = 20  # pages that must all work once the site is back


class RetryingVisitor(TimedVisitor):
    patience = PATIENCE


class Visitors:
    """All visitors, active until `go_home`; participants and submissions are numbered from `first`."""

    def __init__(
        self, base: str, addresses: list[str], keys: list[str], ids: list[str], log: Path, *, first: int = 0
    ) -> None:
        self.base, self.addresses, self.keys, self.ids, self.log, self.first = base, addresses, keys, ids, log, first
        self.clock, self.sent, self.over = Timings(), clients.Sent(), threading.Event()
        self.gave_up: list[str] = []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.read), threading.Thread(target=self.send)]
        self.threads += [threading.Thread(target=self.take_part, args=(first + each,)) for each in range(PEOPLE)]
        log.write_text("")
        for thread in self.threads:
            thread.start()

    def go_home(self) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()

    def acknowledged(self) -> int:
        """Number of answers that the site has acknowledged."""
        return len(self.log.read_text().splitlines())

    def read(self) -> None:
        while not self.over.is_set():
            clients.read(self.base, self.addresses, PAGES, 2.0, self.clock)

    def take_part(self, first: int) -> None:
        """Fill one sheet after the other."""
        number = first
        while not self.over.is_set():
            try:
                self._one_sheet(number)
            except SiteAway as error:
                self.gave_up.append(str(error))
            number += PEOPLE

    def _one_sheet(self, number: int) -> None:
        seat = clients.arrive(self.base, "besieged", number, self.clock, RetryingVisitor)
        token = seat.step_path.strip("/").split("/")[1]
        while seat.positions and not self.over.is_set():
            position = seat.positions.pop(0)
            fields = {
                "position": str(position),
                "answer": "yes",
                "seconds": "10.0",
                "watched": "1.000",
                "clock": "frame",
            }
            reply = seat.visitor.post(f"{seat.step_path}answer/", fields, JSON)
            if f'"saved": {position}' in reply.text:
                self._write({"token": token, "position": position, "answer": "yes"})
            elif reply.status == 409:  # the sheet went to somebody else
                break
            self.over.wait(PAUSE)
        seat.visitor.close()

    def _write(self, line: dict[str, Any]) -> None:
        with self.lock, self.log.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def send(self) -> None:
        """Send each file until it is acknowledged."""
        for number, key in enumerate(self.keys, self.first):
            deadline = time.monotonic() + PATIENCE
            while not clients.send_one(self.base, key, number, self.ids, self.sent, self.clock):
                if time.monotonic() > deadline:
                    self.gave_up.append(f"submission {number}")
                    break
                time.sleep(1)
            if self.over.wait(SEND_EVERY):
                return


def seconds_until_well(base: str, addresses: list[str]) -> float:
    """Seconds until the site is ready and shows its pages; infinite if it never does."""
    began = time.monotonic()
    with httpx.Client(base_url=base, timeout=30, verify=clients.TLS) as reader:
        while time.monotonic() - began < PATIENCE:
            try:
                if all(reader.get(each).status_code == 200 for each in ("/readyz", *addresses[:6])):
                    return time.monotonic() - began
            except httpx.HTTPError:
                pass
            time.sleep(0.3)
    return float("inf")


def errors_afterwards(base: str, addresses: list[str]) -> int:
    clock = Timings()
    clients.read(base, addresses, AFTERWARDS / 2, 2.0, clock)
    return len(clock.errors)


def waited(what: Any) -> bool:
    """Wait for a condition; return whether it came true in time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.5)
    return False


def lost_submissions(sent: clients.Sent) -> list[str]:
    """Acknowledged submissions that are not stored with all rows, after waiting for the worker."""
    from django.db.models import Count

    from evaluation.models import Run, Upload

    deadline = time.monotonic() + 120
    while Upload.objects.filter(ended_at=None).exists() and time.monotonic() < deadline:
        time.sleep(1)
    runs = Run.objects.filter(model__name__in=sent.acknowledged).annotate(rows=Count("cells__response"))
    stored = dict(runs.values_list("model__name", "rows"))
    return [name for name, rows in sent.acknowledged.items() if stored.get(name) != rows]


def findings(visitors: Visitors, run: Any, base: str) -> dict[str, int]:
    """Counts of violated invariants, which must all be zero after any fault."""
    from evaluation.models import ModelResponse
    from leaderboard.standings.refresh import stale_runs
    from tests.humantrials.crash_load import lost

    def is_finished() -> bool:
        run.refresh_from_db()
        return run.state == "finished"

    is_answered = waited(is_finished)
    responses = ModelResponse.objects.filter(cell__run=run).count()
    return {
        "run_not_finished": int(not is_answered),
        "questions_without_one_answer": abs(run.cells.count() - responses),
        "board_is_stale": int(not waited(lambda: not stale_runs().exists())),
        "lost_answers": len(lost(visitors.log)),
        "lost_submissions": len(lost_submissions(visitors.sent)),
        "gave_up": len(visitors.gave_up),
        "errors_afterwards": errors_afterwards(base, visitors.addresses),
    }
