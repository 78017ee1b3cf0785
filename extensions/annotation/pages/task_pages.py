"""Which page of a stage comes next, and its context: the object and its box, the pair, the lines of a list."""

import math
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from benchmarks.models import Clip
from extensions.annotation.models import AnnotationObject, AnnotationPair, QualificationRound, Stage, Task, TaskAnswer
from extensions.annotation.pages.qualification import (
    awaited,
    failed_attempt,
    last_failure,
    lines_for,
    pairs_for,
    round_for,
    rule_of,
)
from extensions.annotation.pages.submission import PARTS, lines_of, part_of, positions_of, task_at
from extensions.annotation.protocol.stages import facts_of
from extensions.annotation.protocol.vocabulary import MATERIALS
from extensions.annotation.work.form_parsing import (
    NOTHING,
    SIDES,
    Filled,
    box_fields,
    flag_fields,
    line_fields,
    material_fields,
    question_fields,
)
from extensions.annotation.work.sittings import missed_by, stage_of
from humantrials.kinds import ParticipantPage
from humantrials.models import Participant, ParticipantState

ROUND = 1000  # positions of a qualification round's pairs begin here, beyond those of any sheet


@dataclass(frozen=True)
class DisplayedObject:
    """One object on a page: the address of its clip, and its box on the middle frame in the clip's pixels."""

    position: int
    place: int
    name: str
    width: int
    height: int
    box: tuple[int, int, int, int] | None = None  # left, top, width, height


def contents_of(person: Participant) -> dict[int, dict[str, Any]]:
    """The answers by position; for a preview or pilot, only which parts were seen."""
    if person.is_apart:
        return {int(at): {part: {} for part in parts} for at, parts in person.checks.get("looked", {}).items()}
    answers = TaskAnswer.objects.filter(participant=person, task__sheet=person.sheet_id)
    return {
        position: {**content, **({"done": True} if is_complete else {})}
        for position, content, is_complete in answers.values_list("task__position", "content", "is_complete")
    }


def next_task(person: Participant) -> tuple[Task, dict[str, Any]] | None:
    contents = contents_of(person)
    at = next((at for at in positions_of(person) if "done" not in contents.get(at, {})), None)
    task = None if at is None else task_at(person, at)
    return (task, contents.get(task.position, {})) if task else None


def waiting_page(person: Participant) -> ParticipantPage | None:
    """The waiting page while a round is ungraded, else None."""
    one = None if person.is_apart else awaited(person)
    return ParticipantPage("annotation/waiting.html", {"round": one}) if one else None


def not_let_in_page(person: Participant) -> ParticipantPage | None:
    """The last page of somebody whose second attempt at a round failed, with the reason and their own work; or None."""
    failed = last_failure(person) if person.state == ParticipantState.SCREENED else None
    return ParticipantPage("annotation/not_let_in.html", {"failed": failed}) if failed else None


def size_of(person: Participant) -> dict[str, Any]:
    """The facts about the person's sheet for the consent and the instructions."""
    stage = stage_of(person.sheet)
    if not stage:
        return {}
    facts, count = facts_of(stage), len(positions_of(person))
    if stage == Stage.OBJECTS:
        size = ngettext("%(count)s short clip", "%(count)s short clips", count) % {"count": count}
    else:
        size = ngettext("%(count)s pair of short videos", "%(count)s pairs of short videos", count) % {"count": count}
    return {
        "clips": count,
        "size": size,
        "stage_title": facts.title,
        "minutes": math.ceil(facts.seconds * count / 60),
        "instructions": facts.instructions,
    }


def work_page(person: Participant, form: Filled = NOTHING) -> ParticipantPage | None:
    """The page of the qualification round or of the sheet's next task; None when nothing is left."""
    next_round = None if person.is_apart else round_for(person)
    if next_round:
        return round_page(person, next_round, form)
    found = next_task(person)
    if found is None:
        return None
    task, content = found
    positions = positions_of(person)
    done = positions.index(task.position)
    facts = facts_of(task.stage)
    shared = {
        "position": task.position,
        "answered": done,
        "clips": len(positions),
        "minutes": math.ceil(facts.seconds * (len(positions) - done) / 60),
        "stage_title": facts.title,
        "errors": form.errors,
        "is_warned": missed_by(person) > 0,
        "seconds": form.text("seconds"),
    }
    own = _object_facts(task, content, form) if task.object else _pair_facts(task, form)
    return ParticipantPage(facts.template, {**shared, **own})


def _object_facts(task: Task, content: dict[str, Any], form: Filled) -> dict[str, Any]:
    assert task.object is not None
    part, answered = part_of(content), answered_object(task.object, task.position, content)
    facts = {"part": part, "part_number": PARTS.index(part) + 1, "shown": answered, **flag_fields(form)}
    if part == PARTS[0]:
        return facts | box_fields(form) | {"is_drawn_on": True}
    has_typed = bool(form.sent)
    again = Filled(_as_sent(content.get("sight", {})), {}) if part == PARTS[2] and not has_typed else form
    return facts | material_fields(again)


def _as_sent(answers: dict[str, Any]) -> dict[str, list[str]]:
    """The first attempt's materials, from which the second starts: the paper only says "answered again"."""
    return {"materials": answers.get("materials", []), "other": [", ".join(_own(answers))]}


def _own(answers: dict[str, Any]) -> list[str]:
    return [name for name in answers.get("materials", []) if name not in MATERIALS]


def _size(clip: Clip) -> tuple[int, int]:
    return clip.width, clip.height


def _corner(box: list[int] | None) -> tuple[int, int, int, int] | None:
    """Convert (left, top, right, bottom) to (left, top, width, height)."""
    return (box[0], box[1], box[2] - box[0], box[3] - box[1]) if box else None


def _pair_facts(task: Task, form: Filled) -> dict[str, Any]:
    assert task.pair is not None
    facts: dict[str, Any] = {"objects": objects_of(task.pair, task.position)}
    if task.stage == Stage.QUESTIONS:
        second = question_fields(form, 1) | {"is_optional": True}
        return facts | {"questions": [question_fields(form, 0), second]}
    may_be = task.stage == Stage.ANSWERS
    lines = [
        line_fields(form, place, question.text if question else _instruction(task), may_be_irrelevant=may_be)
        for place, question in enumerate(lines_of(task))
    ]
    return facts | {"lines": lines, "bad_label": _("Bad question") if may_be else _("Flag: faulty or unanswerable")}


def _instruction(task: Task) -> str:
    """The instruction that replaces a question, in the paper's words."""
    side = SIDES[task.attention]
    return _("Please select both ‘%(side)s’ and ‘Bad question’ as your answer") % {"side": side}


def objects_of(pair: AnnotationPair, position: int) -> list[DisplayedObject]:
    return [displayed_object(one, position, place, one.box) for place, one in enumerate(pair.both)]


def answered_object(one: AnnotationObject, position: int, content: dict[str, Any]) -> DisplayedObject:
    """The object with the name and the box of an answer to its clip."""
    box = content.get("box", {})
    return DisplayedObject(position, 0, box.get("name", ""), *_size(one.clip), _corner(box.get("box")))


def displayed_object(one: AnnotationObject, position: int, place: int, box: list[int] | None) -> DisplayedObject:
    return DisplayedObject(position, place, str(SIDES[str(place)]), *_size(one.clip), _corner(box))


def round_page(person: Participant, next_round: QualificationRound, form: Filled) -> ParticipantPage:
    """The page of a round: its pairs, each with its lines or with one question to write."""
    blocks = []
    for number, (pair, lines) in enumerate(lines_for(next_round)):
        block: dict[str, Any] = {"number": number + 1, "objects": objects_of(pair, ROUND + number)}
        if next_round.stage == Stage.QUESTIONS:
            block["question"] = question_fields(form, lines[0][0])
        else:
            block["lines"] = [
                line_fields(form, place, question.text if question else "", may_be_irrelevant=True)
                for place, question in lines
            ]
        blocks.append(block)
    count = sum(len(block.get("lines", ())) for block in blocks)
    facts = {
        "asked": next_round,
        "blocks": blocks,
        "bad_label": _("Bad question"),
        "errors": form.errors,
        "needs_why": next_round.number == 2,
        "rule": rule_of(next_round, len(blocks), count),
        "failed": failed_attempt(person, next_round),
        "minutes": math.ceil(facts_of(next_round.stage).seconds * len(blocks) / 60),
        "stage_title": facts_of(next_round.stage).title,
        "instructions": facts_of(next_round.stage).instructions,
        "seconds": form.text("seconds"),
    }
    return ParticipantPage("annotation/round.html", facts)


def clip_at(person: Participant, position: int, place: int, *, is_frame: bool) -> Clip | None:
    """The clip at this place of the task or round; in stage A the video waits for the answer to the still."""
    if position >= ROUND:
        next_round = None if person.is_apart else round_for(person)
        pairs = pairs_for(next_round) if next_round else []
        pair = pairs[position - ROUND] if position - ROUND < len(pairs) else None
        return pair.both[place].clip if pair and place < 2 else None
    task = task_at(person, position) if place < 2 else None
    if task is None:
        return None
    if task.pair:
        return task.pair.both[place].clip
    is_early = "sight" not in contents_of(person).get(position, {})
    return task.object.clip if task.object and place == 0 and (is_frame or not is_early) else None
