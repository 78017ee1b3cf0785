"""What a person has done over all sheets, and the answers that staff sent back: why, beside the person's own work."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from benchmarks.models import Clip
from extensions.annotation.models import Task, TaskAnswer, WrittenQuestion
from extensions.annotation.pages.task_pages import DisplayedObject, answered_object, objects_of
from extensions.annotation.protocol.stages import facts_of
from extensions.annotation.protocol.vocabulary import FLAGS, MATERIALS, PROPERTIES
from extensions.annotation.work.answer_comparison import CHOICES, choice_of
from extensions.annotation.work.sittings import first_of, sittings_after
from humantrials.assignment.prepared_queries import ONE, PreparedQuery
from humantrials.models import Participant, Trial
from humantrials.protocols.protocol import Text

FINISHED = PreparedQuery(lambda: sittings_after(ONE).filter(finished_at__isnull=False).values_list("pk"), ONE)
OF_ANSWERS = PreparedQuery(
    lambda: TaskAnswer.objects.filter(participant__in=sittings_after(ONE)).values_list("seconds"), ONE
)


@dataclass(frozen=True)
class WorkSoFar:
    """Pay of a whole sheet, finished sheets, and minutes of work; `amount` is None where no pay is entered."""

    amount: Decimal | None
    currency: str
    sheets: int
    minutes: int

    @property
    def earned(self) -> Decimal | None:
        return None if self.amount is None else self.amount * self.sheets


def no_work(trial: Trial) -> WorkSoFar:
    """What somebody reads who has not agreed yet: the pay of a sheet."""
    return WorkSoFar(trial.pay_amount or None, trial.pay_currency, 0, 0)


def work_so_far(person: Participant) -> WorkSoFar:
    """The person's finished sheets and minutes; a preview or pilot has none."""
    trial, first = person.trial, first_of(person)
    sheets = 0 if person.is_apart else len(FINISHED.rows(first))
    seconds = sum(taken or 0 for (taken,) in OF_ANSWERS.rows(first))
    return WorkSoFar(trial.pay_amount or None, trial.pay_currency, sheets, round(seconds / 60))


ROWS = ("task__object__clip", "task__pair__first__clip", "task__pair__second__clip")
SENT_BACK = PreparedQuery(
    lambda: (
        TaskAnswer.objects.filter(participant__in=sittings_after(ONE))
        .exclude(sent_back="")
        .select_related(*ROWS)
        .order_by("-looked_at")
    ),
    ONE,
)


def returned_answers(person: Participant) -> list[dict[str, Any]]:
    """The answers of all the person's sheets that were sent back, newest first.

    Each with its stage, the reason, its pictures, and what was asked or written, line by line, with the answer to it.
    """
    return [
        {
            "pk": answer.pk,
            "stage": facts_of(answer.task.stage).title,
            "reason": answer.sent_back,
            "pictures": _pictures(answer),
            "lines": list(_lines(answer)),
        }
        for answer in SENT_BACK.models(first_of(person))
    ]


def returned_clip(person: Participant, answer: int, place: int) -> Clip | None:
    """The clip at this place of one of the person's answers that were sent back, or None."""
    found = next((one for one in SENT_BACK.models(first_of(person)) if one.pk == answer), None)
    clips = clips_of(found.task) if found else []
    return clips[place] if place < len(clips) else None


def clips_of(task: Task) -> list[Clip]:
    """The clip of the task's object, or those of its pair."""
    if task.pair:
        return [one.clip for one in task.pair.both]
    return [task.object.clip] if task.object else []


def _pictures(answer: TaskAnswer) -> list[DisplayedObject]:
    task = answer.task
    if task.pair:
        return objects_of(task.pair, task.position)
    return [answered_object(task.object, task.position, answer.content)] if task.object else []


def _lines(answer: TaskAnswer) -> Iterator[tuple[Text, Text]]:
    content = answer.content
    for part, label in (("sight", _("From the picture")), ("sound", _("With its sound"))):
        if part in content:
            materials = ", ".join(str(MATERIALS.get(name, name)) for name in content[part]["materials"])
            numbers = {"materials": materials, "sure": content[part]["confidence"]}
            yield label, _("%(materials)s, sure %(sure)s of 5") % numbers
    if flag := content.get("flag"):
        yield _("Flagged"), FLAGS.get(flag, flag)
    for own in content.get("questions", ()):
        properties = ", ".join(str(PROPERTIES.get(name, name)) for name in own["properties"])
        yield own["text"], f"{CHOICES[str(own['answer'])]} ({properties})"
    yield from _answered(content.get("answers", {}))


def _answered(answers: dict[str, dict]) -> Iterator[tuple[Text, Text]]:
    found = WrittenQuestion.objects.in_bulk([int(key) for key in answers])
    for key, own in answers.items():
        if int(key) in found:
            yield found[int(key)].text, CHOICES[choice_of(own)]
