"""What a study plans between two clips: breaks, and questions on the answer: how sure people are, and for some why.

Follow-up answers are stored once, in their own table. The answer itself is stored before and is valid without them.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.db import transaction

from humantrials.assignment.sheets import locked, prolong, slots_of
from humantrials.errors import BadAnswer
from humantrials.judging.attention_checks import OPEN_TO, SheetQuestion, find_question
from humantrials.models import FollowUp, Participant, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.designs.balanced import lot
from humantrials.protocols.scales import ConfidenceScale, scale_of
from humantrials.protocols.trial_types import plain_text, read_value

USUAL_MOST = 300  # seconds


@dataclass(frozen=True)
class BreakLimits:
    """The least seconds of a break, and the most of its seconds that count as work."""

    least: int = 0
    most: int = USUAL_MOST


def limits_of(settings: Mapping[str, Any]) -> BreakLimits:
    """The author's limits, else the usual ones."""
    text = settings.get("break_seconds")
    return BreakLimits(*map(int, text.split(" to "))) if text else BreakLimits()


def blocks_of(trial: Trial, questions: Sequence[SheetQuestion]) -> list[list[SheetQuestion]]:
    """The sheet's questions in order, split at breaks: where the condition changes, and after a set number."""
    has_breaks = find_protocol(trial.protocol).design.has_breaks
    alike = (
        [list(block) for _, block in itertools.groupby(questions, key=attrgetter("condition"))] if has_breaks else []
    )
    every = trial.settings.get("break_every") or max(1, len(questions))
    return [part for block in alike or [list(questions)] for part in _parts(block, every)]


def _parts(block: list[SheetQuestion], every: int) -> Iterator[list[SheetQuestion]]:
    """Yield parts of `every` questions; a single last question joins the part before it."""
    ends = [*range(every, len(block) - 1, every), len(block)]
    for begin, end in itertools.pairwise([0, *ends]):
        yield block[begin:end]


def minutes_of_work(
    begun: datetime | None, ended: datetime | None, checks: Mapping[str, Any], settings: Mapping[str, Any]
) -> float | None:
    """Minutes from the consent to the end, each break counted up to its limit; None before the end."""
    if begun is None or ended is None:
        return None
    most = limits_of(settings).most
    beyond = sum(max(0.0, seconds - most) for seconds in checks.get("breaks", ()))
    return max(0.0, (ended - begun).total_seconds() - beyond) / 60


LONGEST_WHY = 500


@dataclass(frozen=True)
class FollowUpQuestions:
    """The follow-up questions of one sheet: the scale after every answer, the reason at `why`'s positions."""

    scale: ConfidenceScale | None = None
    why: frozenset[int] = frozenset()

    def after(self, position: int) -> bool:
        """Whether anything is asked after the answer at this position."""
        return self.scale is not None or position in self.why


def has_follow_ups(settings: Mapping[str, Any]) -> bool:
    return bool(settings.get("confidence") or settings.get("why"))


def follow_ups_of(person: Participant) -> FollowUpQuestions:
    """The follow-up questions of this person's sheet; the items that ask why are drawn from the trial's salt."""
    settings, share = person.trial.settings, person.trial.settings.get("why") or 0
    positions = [slot.position for slot in slots_of(person)] if share else []
    if not positions or person.sheet is None:
        return FollowUpQuestions(scale_of(settings))
    seed = f"{person.trial.draw_seed}/why/{person.sheet.order}"
    shuffled = sorted(positions, key=lambda position: lot(seed, position))
    return FollowUpQuestions(scale_of(settings), frozenset(shuffled[: max(1, round(share * len(shuffled)))]))


def follow_ups_by(people: Iterable[int]) -> dict[tuple[int, int], FollowUp]:
    """(participant, position) -> what was said after that answer."""
    return {(one.participant_id, one.position): one for one in FollowUp.objects.filter(participant__in=list(people))}


@transaction.atomic
def record_follow_up(*, participant: Participant, position: int, posted: Mapping[str, str]) -> FollowUp:
    """Store what was said after an answer, or return what was said first; raises BadAnswer where nothing is asked."""
    person = locked(participant)
    questions = follow_ups_of(person)
    if find_question(person, position) is None or not questions.after(position):
        raise BadAnswer("nothing is asked after this answer")
    if person.state not in OPEN_TO or answer_at(person, position) is None:
        raise BadAnswer("no answer is stored that this could follow")
    fields = _read(questions, position, posted)
    if person.is_under_way:
        prolong(person)
    stored, _is_new = FollowUp.objects.get_or_create(participant=person, position=position, defaults=fields)
    return stored


def answer_at(person: Participant, position: int) -> str | None:
    """The stored answer at this position of the sheet, in whatever table; None if there is none."""
    tables = (
        person.judgments.filter(slot__position=position),
        person.attention_answers.filter(position=position),
        person.pilot_answers.filter(position=position),
    )
    return next((answer for rows in tables for answer in rows.values_list("answer", flat=True)), None)


def _read(questions: FollowUpQuestions, position: int, posted: Mapping[str, str]) -> dict[str, Any]:
    """The columns of a follow-up; raises BadAnswer for a step beyond the scale and for a text that is too long."""
    fields: dict[str, Any] = {"seconds": read_value(posted.get("seconds", ""), float)}
    if questions.scale:
        typed = posted.get("confidence", "")
        if typed not in map(str, questions.scale.values):
            raise BadAnswer(f"{typed[:40]!r} is no step from 1 to {questions.scale.steps}")
        fields["confidence"] = int(typed)
    if position in questions.why:
        fields["why"] = plain_text(posted.get("why", ""))
        if len(fields["why"]) > LONGEST_WHY:
            raise BadAnswer(f"the reason has {len(fields['why'])} characters; it may have {LONGEST_WHY}")
    return fields
