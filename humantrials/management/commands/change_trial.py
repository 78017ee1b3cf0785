from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import ActionCommand, CallerMistake
from humantrials.errors import TrialError
from humantrials.models import Trial
from humantrials.panels.prolific_api import Prolific, ProlificRefused
from humantrials.running import prolific_study
from humantrials.running.lifecycle import archive_trial, close_trial, find_trial, open_trial, pause_trial

MOVES = {"open": open_trial, "pause": pause_trial, "close": close_trial, "archive": archive_trial}
DEEDS = {
    "approve": prolific_study.approve,
    "screen-out": prolific_study.screen_out,
    "bonus": prolific_study.pay_bonuses,
}


class Command(ActionCommand):
    help = (
        "Open, pause, close or archive a trial; arrange its study at Prolific. Safe to run again:"
        " a trial in that state is not changed, and nobody is paid twice."
    )
    mistakes = (TrialError, ProlificRefused)

    def add_arguments(self, parser: CommandParser) -> None:
        for name in MOVES:
            self.add_action(parser, name, self.move, f"{name} a trial").add_argument("slug")
        about = (
            "draft a study at Prolific, set its places, list its submissions, approve those whose pay was approved"
            " here, screen out people who failed the quiz, or pay approved bonuses; needs PROLIFIC_TOKEN; publishes"
            " and rejects nothing"
        )
        prolific = self.add_action(parser, "prolific", self.prolific, about)
        prolific.add_argument("slug")
        prolific.add_argument("deed", choices=("draft", "places", "submissions", *DEEDS))
        prolific.add_argument("--places", type=int, default=0, help="for places: their total number")

    def move(self, *, slug: str, action: str, **options: Any) -> None:
        MOVES[action](trial=(trial := find_trial(slug)))
        self.say(options, {"trial": slug, "state": trial.state}, f"{slug} is {trial.state}")

    def prolific(self, *, slug: str, deed: str, places: int, **options: Any) -> None:
        trial = find_trial(slug)
        if deed == "places" and places < 1:
            raise CallerMistake("--places is a number from 1")
        found = _done(trial, deed, places, prolific_study.open_prolific())
        self.say(options, {"trial": slug, "action": deed, **found}, ", ".join(f"{k}: {v}" for k, v in found.items()))


def _done(trial: Trial, deed: str, places: int, prolific: Prolific) -> dict[str, Any]:
    """Carry out the deed and return its result."""
    if deed == "draft":
        return {"study": prolific_study.create_draft(trial, prolific)}
    if deed == "places":
        prolific.set_places(prolific_study.study_of(trial), places)
        return {"places": places}
    if deed == "submissions":
        counts = Counter(submission.status for submission in prolific.submissions(prolific_study.study_of(trial)))
        return dict(counts) or {"submissions": 0}
    return {deed: DEEDS[deed](trial, prolific)}
