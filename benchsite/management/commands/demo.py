import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite.serving import data_folder, demo
from benchsite.serving.processes import PARTS, Keeper, stop_all
from benchsite.serving.serve import free_port, start_services, wait_until_it_answers
from evaluation.models import Run, RunState
from leaderboard.standings.refresh import refresh

HOST = "127.0.0.1"
PATIENCE = 900.0  # seconds for all runs together
NICENESS = 10  # pages and visitors' answers have priority
STOPPED = 143


class Command(SiteCommand):
    help = (
        "Make a small pack, evaluate models through a worker, simulate a trial, print the board. With --site make all"
        " demo content (packs, models, runs, trials) on a running site instead. Safe to run again: it is kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", metavar="URL", help="where a site answers, for simulated people")

    def handle(self, *, site: str | None, **options: Any) -> None:
        if site:
            self._fill(site, options)
            return
        port = free_port(HOST)
        try:
            with data_folder.held(PARTS, port):
                self._make(port, options)
        except data_folder.AlreadyServed as error:
            raise CallerMistake(str(error)) from None
        refresh()
        board = {"format": "text", "pack": demo.PACK, "as_json": options["as_json"]}
        call_command("export_table", f"board:{demo.BENCHMARK}", stdout=self.stdout, **board)

    def _fill(self, site: str, options: dict[str, Any]) -> None:
        """Make the demo content on a running site, whose pages have priority."""

        def say(line: str) -> None:
            self.note(options, line)

        signal.signal(signal.SIGTERM, _stop)
        give_way()
        with demo.announced():
            runs = demo.make_demo(say, site) + demo.make_further_runs(say, site)
        facts = {"pack": demo.PACK, "runs": [run.pk for run in runs]}
        self.say(options, facts, f"{len(runs)} runs on the packs {demo.PACK}")

    def _make(self, port: int, options: dict[str, Any]) -> None:
        keepers: list[Keeper] = []
        try:
            keepers, *_ = start_services(host=HOST, port=port)
            if not wait_until_it_answers(HOST, port, keepers, lambda line: self.note(options, line)):
                raise CommandError("the web process does not answer; see its messages above")
            runs = demo.make_demo(lambda line: self.note(options, line), f"http://{HOST}:{port}")
            self._wait(runs, options)
        finally:
            stop_all(keepers)

    def _wait(self, runs: list[Run], options: dict[str, Any]) -> None:
        """Wait for the worker; a failed run ends the demo with its reason."""
        deadline = time.monotonic() + PATIENCE
        for run in runs:
            while time.monotonic() < deadline:
                run.refresh_from_db()
                if run.is_over:
                    break
                time.sleep(0.5)
            if run.state != RunState.FINISHED:
                raise CommandError(f"{run}: {run.state}. {run.reason}")
            self.note(options, f"{run.model.name}, {run.strategy}: finished")


def give_way() -> None:
    """Lower the priority of this process and of its session: Linux shares processors among sessions first, sched(7)."""
    os.nice(NICENESS)
    if os.getsid(0) == os.getpid():  # not of a terminal in which somebody typed the command
        with suppress(OSError):  # a kernel without groups of sessions
            Path("/proc/self/autogroup").write_text(str(NICENESS))


def _stop(number: int, frame: object) -> None:
    """Stop through `finally` blocks: a training ends with its demo, and announcements are removed."""
    sys.exit(STOPPED)
