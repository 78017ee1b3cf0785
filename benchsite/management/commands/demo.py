"""`manage.py demo`: a complete run of the demo that exits at the end."""

import time
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError

from benchmarks.commands import SiteCommand
from benchsite import demo
from benchsite.supervisor.processes import Keeper
from benchsite.supervisor.serve import free_port, start_services, stop_all, wait_until_it_answers
from evaluation.models import Run, RunState
from leaderboard.standings.refresh import refresh

HOST = "127.0.0.1"
PATIENCE = 900.0  # seconds for all runs together


class Command(SiteCommand):
    help = "Make a small pack, evaluate models through a worker, simulate a trial, print the board. Safe to run again."

    def handle(self, **options: Any) -> None:
        port = free_port(HOST)
        keepers: list[Keeper] = []
        try:
            keepers, _ = start_services(host=HOST, port=port)
            if not wait_until_it_answers(HOST, port, keepers, lambda line: self.note(options, line)):
                raise CommandError("the web process does not answer; see its messages above")
            runs = demo.make_demo(lambda line: self.note(options, line), f"http://{HOST}:{port}")
            self._wait(runs, options)
        finally:
            stop_all(keepers)
        refresh()
        call_command("print_board", demo.BENCHMARK, pack=demo.PACK, as_json=options["as_json"], stdout=self.stdout)

    def _wait(self, runs: list[Run], options: dict[str, Any]) -> None:
        """Wait for the worker; a failed run ends the demo with its reason."""
        deadline = time.monotonic() + PATIENCE
        for run in runs:
            while time.monotonic() < deadline:
                run.refresh_from_db()
                if run.state not in (RunState.QUEUED, RunState.RUNNING):
                    break
                time.sleep(0.5)
            if run.state != RunState.FINISHED:
                raise CommandError(f"{run}: {run.state}. {run.reason}")
            self.note(options, f"{run.model.name}, {run.strategy}: finished")
