"""`manage.py review_boxes`: list annotation boxes that were drawn before pages stored what they showed."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from humantrials.annotation.doubtful_boxes import doubtful
from humantrials.annotation.task_answers import is_staged
from humantrials.desk.box_review import ask_again
from humantrials.errors import BadAnswer
from humantrials.models import TaskAnswer, Trial
from humantrials.studies.lookup import find_trial


class Command(SiteCommand):
    help = (
        "List boxes without proof, of one trial or of all; exit 1 if there are any. With --ask-again their clips go"
        " to other people. Safe to run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", nargs="?", default="", help="one trial; default: all trials")
        parser.add_argument("--ask-again", action="store_true", help="drop these answers; new ones are paid again")

    def handle(self, *, slug: str, ask_again: bool, **options: Any) -> None:
        if ask_again and not slug:
            raise CallerMistake("--ask-again costs pay: name one trial")
        trial = _staged(slug) if slug else None
        found = list(doubtful([trial] if trial else None))
        for answer in found:
            self.note(options, "{trial} clip {clip}: box {box} ({name}), by {by}".format(**_facts(answer)))
        count = _review(trial, found) if trial and ask_again else 0
        facts = {"boxes": [_facts(answer) for answer in found], "found": len(found), "asked_again": count}
        done = f", {count} asked for again" if ask_again else ""
        self.say(options, facts, f"{len(found)} boxes without proof{done}")
        if found and not ask_again:
            raise CommandError("look at them under Stages of the trial, or run review_boxes SLUG --ask-again")


def _staged(slug: str) -> Trial:
    trial = find_trial(slug)
    if not is_staged(trial):
        raise CallerMistake(f"{slug} follows the protocol {trial.protocol}: only pacs-annotation has boxes")
    return trial


def _review(trial: Trial, found: list[TaskAnswer]) -> int:
    try:
        return ask_again(trial=trial, numbers=[answer.task.subject for answer in found])
    except BadAnswer as error:
        raise CallerMistake(str(error)) from None


def _facts(answer: TaskAnswer) -> dict[str, Any]:
    box = answer.content["box"]
    return {
        "trial": answer.task.trial.slug,
        "clip": answer.task.subject,
        "box": box["box"],
        "name": box["name"],
        "by": answer.participant.code,
        "sent": answer.created_at,
    }
