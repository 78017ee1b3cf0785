import sys
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TextIO

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.progress_bar import progress_bar
from humantrials.errors import TrialError
from humantrials.models import TrialState
from humantrials.running.lifecycle import find_trial, mark_simulated, open_trial
from humantrials.simulation.browser import SiteAway
from humantrials.simulation.crowd import Crowd
from humantrials.simulation.participant import Habits

SHARES = {
    "dropout": "share of people who leave in the middle for good",
    "late": "share of people who leave in the middle and come back after their sheet was free again",
    "second-tab": "share of people who open a second tab and answer in both",
    "doubled": "share of answers that are sent twice",
    "accuracy": "share of answers that are right",
    "careless": "share of annotators who follow no instruction shown in place of a question",
}


class Command(SiteCommand):
    help = (
        "Let simulated people take part over HTTP until the trial is full or so many have come; a draft is opened."
        " The trial counts as simulated from then on. Needs the site's database. Safe to run again: it fills the"
        " remaining places."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--base-url", required=True, help="address of the site")
        parser.add_argument("--participants", type=int, required=True, help="maximum number of participants")
        parser.add_argument("--concurrency", type=int, default=8)
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--log", default="", help="append every answer that the site said it stored to this file")
        for name, about in SHARES.items():
            parser.add_argument(f"--{name}", type=float, default=0.8 if name == "accuracy" else 0.0, help=about)

    def handle(self, *, slug: str, base_url: str, participants: int, concurrency: int, **options: Any) -> None:
        trial, habits = find_trial(slug), _habits(options)
        if not base_url.startswith(("http://", "https://")) or participants < 1 or concurrency < 1:
            raise CallerMistake("--base-url is an http address; --participants and --concurrency are numbers from 1")
        began = time.monotonic()
        earlier = trial.participants.count()
        crowd = Crowd(trial, base_url.rstrip("/"), participants, options["seed"], habits, first=earlier)
        if options["verbosity"]:
            crowd.progress = progress_bar(sys.stderr, "People")
        with _log(options["log"]) as crowd.log:
            facts = self._happens(crowd, concurrency)
        facts |= {"seconds": round(time.monotonic() - began, 1)}
        if options["verbosity"]:
            self.say(options, facts, _sentence(facts))
        if facts["lost"]:
            raise CommandError(f"{facts['lost']} answers that were acknowledged are not in the database")

    def _happens(self, crowd: Crowd, concurrency: int) -> dict[str, Any]:
        trial = crowd.trial
        try:
            mark_simulated(trial=trial)
            if trial.state == TrialState.DRAFT:
                open_trial(trial=trial)
            crowd.run(concurrency)
        except TrialError as error:
            raise CallerMistake(str(error)) from None
        except SiteAway as error:
            raise CallerMistake(f"no site answers: {error}") from None
        return crowd.summary()


def _log(path: str) -> AbstractContextManager[TextIO | None]:
    try:
        return open(path, "a") if path else nullcontext()
    except OSError as error:
        raise CallerMistake(f"--log {path}: {error.strerror}") from None


def _habits(options: dict[str, Any]) -> Habits:
    shares = {name.replace("-", "_"): options[name.replace("-", "_")] for name in SHARES}
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise CallerMistake(f"--{name.replace('_', '-')} {share}: a share is between 0 and 1")
    return Habits(**shares)


def _sentence(facts: dict[str, Any]) -> str:
    return (
        "{arrived} simulated people came: {finished} finished, {left} left, {let_go} were let go, {turned_away} were"
        " turned away; {counted} answers count, {surplus} are surplus, {lost} are lost; {seconds} s"
    ).format(**facts)
