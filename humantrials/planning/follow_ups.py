"""Questions right after an answer: how sure people are, and for a share of the items of a sheet why.

Follow-up answers are stored once, in their own table. The answer itself is stored before and is valid without them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from humantrials.assignment.sheets import locked, prolong, slots_of
from humantrials.errors import BadAnswer
from humantrials.judging.attention_checks import OPEN_TO, find_question
from humantrials.models import AttentionAnswer, FollowUp, Judgment, Participant, ParticipantState, PilotAnswer
from humantrials.protocols.designs.balanced import lot
from humantrials.protocols.scales import ConfidenceScale, scale_of
from humantrials.protocols.trial_types import plain_text, read_value

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
    if person.state not in OPEN_TO or not _has_answered(person, position):
        raise BadAnswer("no answer is stored that this could follow")
    fields = _read(questions, position, posted)
    if person.state == ParticipantState.CONSENTED:
        prolong(person)
    stored, _is_new = FollowUp.objects.get_or_create(participant=person, position=position, defaults=fields)
    return stored


def _has_answered(person: Participant, position: int) -> bool:
    apart = {"participant": person, "position": position}
    return (
        Judgment.objects.filter(participant=person, slot__position=position).exists()
        or AttentionAnswer.objects.filter(**apart).exists()
        or PilotAnswer.objects.filter(**apart).exists()
    )


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
