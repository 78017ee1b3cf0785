"""`manage.py prolific_study`: send a trial's draft, places, approvals and payments to Prolific."""

from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from humantrials.errors import WrongState
from humantrials.models import Trial
from humantrials.panels.prolific_api import Prolific, ProlificRefused
from humantrials.studies import prolific_study
from humantrials.studies.lookup import find_trial

ACTIONS = ("draft", "places", "submissions", "approve", "screen-out", "bonus")


class Command(SiteCommand):
    help = (
        "Draft a study at Prolific, set its places, list its submissions, approve those whose pay was approved"
        " here, screen out people who failed the quiz, or pay approved bonuses. Needs PROLIFIC_TOKEN; publishes and"
        " rejects nothing. Safe to run again: nobody is paid twice."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("action", choices=ACTIONS)
        parser.add_argument("--places", type=int, default=0, help="for places: their total number")

    def handle(self, *, slug: str, action: str, places: int, **options: Any) -> None:
        trial = find_trial(slug)
        if action == "places" and places < 1:
            raise CallerMistake("--places is a number from 1")
        try:
            message = _done(trial, action, places, prolific_study.open_prolific())
        except (WrongState, ProlificRefused) as error:
            raise CallerMistake(str(error)) from None
        self.say(
            options, {"trial": slug, "action": action, **message}, ", ".join(f"{k}: {v}" for k, v in message.items())
        )


def _done(trial: Trial, action: str, places: int, prolific: Prolific) -> dict[str, Any]:
    """Carry out the action and return a sentence about the result."""
    if action == "draft":
        return {"study": prolific_study.create_draft(trial, prolific)}
    if action == "places":
        prolific.set_places(prolific_study.study_of(trial), places)
        return {"places": places}
    if action == "submissions":
        counts: dict[str, int] = {}
        for one in prolific.submissions(prolific_study.study_of(trial)):
            counts[one.status] = counts.get(one.status, 0) + 1
        return counts or {"submissions": 0}
    acts = {
        "approve": prolific_study.approve,
        "screen-out": prolific_study.screen_out,
        "bonus": prolific_study.pay_bonuses,
    }
    return {action: acts[action](trial, prolific)}
