"""Records what a participant sends for a task: once, even if it arrives twice, and only from the sheet's holder."""

import json
from typing import Any, Final

from django.db import transaction

from extensions.annotation.models import Stage, Task, TaskAnswer, WrittenQuestion
from extensions.annotation.pages.qualification import round_for
from extensions.annotation.work.form_parsing import (
    Content,
    Sent,
    read_answers,
    read_box,
    read_flag,
    read_materials,
    read_questions,
    text_of,
)
from extensions.annotation.work.sittings import MOST_MISSED, missed_by
from humantrials.assignment.claims import EARLY_STEPS, finish_if_complete
from humantrials.assignment.exits import exclude, give_code, share_done
from humantrials.assignment.prepared_queries import ONE, SMALL, PreparedQuery
from humantrials.assignment.sheets import locked, prolong
from humantrials.errors import BadAnswer
from humantrials.models import Participant, PilotAnswer
from humantrials.protocols.designs.balanced import lot

PARTS: Final = ("box", "sight", "sound")  # parts of stage A, in order
OUT_FOR_ATTENTION: Final = "did not follow two instructions shown in place of a question"


def lines_of(task: Task) -> list[WrittenQuestion | None]:
    """The task's questions in a drawn order; None is the instruction that replaces one."""
    seed = f"{task.trial.draw_seed}/lines/{task.stage}/{task.subject}/{task.replicate}"
    questions: list[WrittenQuestion | None] = [
        *sorted(task.questions.all(), key=lambda question: lot(seed, question.number))
    ]
    if task.attention:
        at = int.from_bytes(lot(seed, "instruction")[:4]) % (len(questions) + 1)
        questions.insert(at, None)
    return questions


POSITIONS = PreparedQuery(lambda: Task.objects.filter(sheet=ONE).order_by("position").values_list("position"), ONE)


def positions_of(person: Participant) -> list[int]:
    """The positions of the tasks on the person's sheet, in order."""
    return [position for (position,) in POSITIONS.rows(person.sheet_id or 0)]


AT_POSITION = PreparedQuery(
    lambda: (
        Task.objects.filter(sheet=ONE, position=SMALL)
        .order_by()
        .select_related("trial", "object__clip", "pair__first__clip", "pair__second__clip")
    ),
    *(ONE, SMALL),
)


def task_at(person: Participant, position: int) -> Task | None:
    """The task at this position of the person's sheet, with the rows that its page needs."""
    return next(iter(AT_POSITION.models(person.sheet_id or 0, position)), None)


def part_of(content: Content) -> str:
    """The next part of stage A, or ''."""
    return next((part for part in PARTS if part not in content), "")


def read_task(task: Task, content: Content, sent: Sent) -> tuple[Content, bool]:
    """The content of the answer so far, and whether it is complete; BadWork names every wrong field."""
    if task.object:
        return _read_object(task, content, sent)
    if task.stage == Stage.QUESTIONS:
        return read_questions(sent), True
    lines = lines_of(task)
    read = read_answers(sent, range(len(lines)), may_be_irrelevant=task.stage == Stage.ANSWERS)["answers"]
    answers = {str(question.pk): read[str(place)] for place, question in enumerate(lines) if question}
    controls = {"attention": read[str(lines.index(None))]} if None in lines else {}
    return {"answers": answers, **controls}, True


def _read_object(task: Task, content: Content, sent: Sent) -> tuple[Content, bool]:
    assert task.object is not None
    if flag := read_flag(sent):
        return {**content, **flag}, True
    part, clip = part_of(content), task.object.clip
    read = read_box(sent, clip.width, clip.height) if part == "box" else read_materials(sent)
    return {**content, part: read}, part == PARTS[-1]


@transaction.atomic
def record_work(*, participant: Participant, position: int, sent: Sent) -> Participant:
    """Store the answer to a task, or its next part. A complete answer stays; a part from an old page is ignored.

    The last answer finishes the sheet.
    """
    person = locked(participant)
    task = task_at(person, position)
    if task is None or not _may_work(person):
        raise BadAnswer("no answer to this is expected from you")
    standing = TaskAnswer.objects.filter(task=task, participant=person).first()
    content = standing.content if standing else {}
    is_old = task.stage == Stage.OBJECTS and text_of(sent, "part") != part_of(content)
    if (standing and standing.is_complete) or is_old:
        return person
    content, is_complete = read_task(task, content, sent)
    missed = task.attention != "" and content.get("attention") != {"choice": task.attention, "bad": True}
    TaskAnswer.objects.update_or_create(
        task=task,
        participant=person,
        defaults={
            "epoch": person.epoch,
            "content": content,
            "is_complete": is_complete,
            "is_surplus": not prolong(person),
            "missed_attention": missed,
            "seconds": added(standing.seconds if standing else None, seconds_of(sent)),
        },
    )
    return finish_if_complete(_warned(person) if missed else person)


def _may_work(person: Participant) -> bool:
    """Whether the person is past the steps before the first task, and past the rounds that qualify for the stage."""
    is_working = person.is_under_way and person.step not in EARLY_STEPS
    return is_working and round_for(person) is None


def seconds_of(sent: Sent) -> float | None:
    """Seconds since the page could be read; None if the page sent none, or an impossible value."""
    try:
        seconds = float(text_of(sent, "seconds"))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None


def added(before: float | None, here: float | None) -> float | None:
    """The sum of both times, or the known one; None if neither is known."""
    return here if before is None else before + (here or 0.0)


@transaction.atomic
def record_pilot_work(*, participant: Participant, position: int, parts: dict[str, Any], seconds: float | None) -> None:
    """Store a task of a stage, or its next parts, apart from counted answers. Stored parts stay unchanged."""
    person = locked(participant)
    answer = PilotAnswer.objects.filter(participant=person, position=position).first()
    answer = answer or PilotAnswer(participant=person, position=position, raw="{}")
    answer.raw = json.dumps(parts | json.loads(answer.raw), ensure_ascii=False)
    answer.seconds = added(answer.seconds, seconds)
    answer.save()


def _warned(person: Participant) -> Participant:
    """End the person's part, with a code, after the second missed instruction; the first only brings a warning."""
    if missed_by(person) > MOST_MISSED:
        give_code(person, share_done(person))
        exclude(participant=person, why=OUT_FOR_ATTENTION)
        person.refresh_from_db()
    return person
