"""`manage.py change_trial`: open, pause, close or archive a trial."""

from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from humantrials.errors import WrongState
from humantrials.studies.lifecycle import archive_trial, close_trial, open_trial, pause_trial
from humantrials.studies.lookup import find_trial

MOVES = {"open": open_trial, "paused": pause_trial, "closed": close_trial, "archived": archive_trial}


class Command(SiteCommand):
    help = "Open, pause, close or archive a trial. Safe to run again: a trial in that state is not changed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("state", choices=sorted(MOVES))

    def handle(self, *, slug: str, state: str, **options: Any) -> None:
        trial = find_trial(slug)
        try:
            MOVES[state](trial=trial)
        except WrongState as error:
            raise CallerMistake(str(error)) from None
        self.say(options, {"trial": slug, "state": trial.state}, f"{slug} is {trial.state}")
