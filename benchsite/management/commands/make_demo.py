"""`manage.py make_demo`: make the demo content on a running site."""

from typing import Any

from benchmarks.commands import SiteCommand
from benchsite.demo import PACK, make_demo, make_patterns


class Command(SiteCommand):
    help = "Make the demo content (pack, models, runs, trial). Safe to run again: what stands is kept."

    def handle(self, **options: Any) -> None:
        def say(line: str) -> None:
            self.note(options, line)

        runs = make_demo(say) + make_patterns(say)
        self.say(options, {"pack": PACK, "runs": [run.pk for run in runs]}, f"{len(runs)} runs on the pack {PACK}")
