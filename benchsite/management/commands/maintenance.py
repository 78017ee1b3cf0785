"""`manage.py maintenance on|off|status`: put the site under maintenance or open it again."""

import time
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite.maintenance import state
from benchsite.models import Maintenance

PATIENCE = 120.0  # seconds for workers to finish their current work
LONGEST = 7 * 24 * 60  # minutes


class Command(SiteCommand):
    help = "Show readers a maintenance page; participants' browsers keep answers until it is over. Safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["on", "off", "status"])
        parser.add_argument("--minutes", type=int, help="how long it is expected to last")
        parser.add_argument("--note", default="", help="a sentence for readers")
        parser.add_argument("--wait", action="store_true", help="on: return when no worker holds anything any more")

    def handle(self, **options: Any) -> None:
        acts = {"on": self._begin, "off": self._end, "status": self._tell}
        acts[options["act"]](options)

    def _begin(self, options: dict[str, Any]) -> None:
        minutes = options["minutes"]
        if minutes is not None and not 0 < minutes <= LONGEST:
            raise CallerMistake(f"--minutes {minutes}: write a number from 1 to {LONGEST}")
        if len(options["note"]) > 200:
            raise CallerMistake("--note: at most 200 characters")
        until = timezone.now() + timedelta(minutes=minutes) if minutes else None
        state.begin(until=until, note=options["note"])
        if options["wait"]:
            self._wait()
        self._tell(options)

    def _wait(self) -> None:
        """Wait for processes to notice (web: 1 s, workers: 2 s), then until no worker holds anything."""
        deadline = time.monotonic() + PATIENCE
        time.sleep(2 * state.GLANCE)
        while found := state.at_work():
            if time.monotonic() > deadline:
                raise CommandError(f"maintenance is on, but workers still hold {found}: they may be stuck or gone")
            time.sleep(0.5)

    def _end(self, options: dict[str, Any]) -> None:
        extended = state.end()
        line = (
            "the site was not under maintenance"
            if extended is None
            else f"the site is open; {extended} sheets kept their time"
        )
        self.say(options, {"on": False, "sheets_kept": extended or 0}, line)

    def _tell(self, options: dict[str, Any]) -> None:
        row = Maintenance.objects.first()
        if row is None:
            self.say(options, {"on": False}, "the site is open")
            return
        end = f"{row.until:%Y-%m-%d %H:%M} UTC" if row.until else "nobody knows when"
        facts = {"on": True, "since": row.since, "until": row.until, "note": row.note, "held": state.at_work()}
        self.say(options, facts, f"under maintenance {row}, until {end}")
