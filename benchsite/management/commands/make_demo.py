"""`manage.py make_demo`: make the demo content on a running site."""

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from benchmarks.commands import SiteCommand
from benchsite.demo import PACK, announced, make_demo, make_further_runs

NICENESS = 10  # pages and visitors' answers have priority
STOPPED = 143


class Command(SiteCommand):
    help = "Make the demo content (packs, models, runs, trials). Safe to run again: existing content is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--site", default=settings.SITE_URL, metavar="URL", help="where the site answers, for simulated people"
        )

    def handle(self, *, site: str, **options: Any) -> None:
        def say(line: str) -> None:
            self.note(options, line)

        signal.signal(signal.SIGTERM, _stop)
        give_way()
        with announced():
            runs = make_demo(say, site) + make_further_runs(say, site)
        self.say(options, {"pack": PACK, "runs": [run.pk for run in runs]}, f"{len(runs)} runs on the packs {PACK}")


def give_way() -> None:
    """Lower the priority of this process and of its session: Linux shares processors among sessions first, sched(7)."""
    os.nice(NICENESS)
    if os.getsid(0) == os.getpid():  # not of a terminal in which somebody typed the command
        with suppress(OSError):  # a kernel without groups of sessions
            Path("/proc/self/autogroup").write_text(str(NICENESS))


def _stop(number: int, frame: object) -> None:
    """Stop through `finally` blocks: a training ends with its demo, and announcements are removed."""
    sys.exit(STOPPED)
