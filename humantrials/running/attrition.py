"""Participants' progress in a trial and the points where they left, without their answers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from humantrials.assignment.sheets import answers_in, at_work
from humantrials.models import Participant, ParticipantState, Trial
from humantrials.models.participants import TAKING_PART


@dataclass(frozen=True)
class AttritionStep:
    """One step of the attrition flow: how many reached it, and how many were lost before it and why."""

    name: str
    reached: int
    lost: tuple[tuple[str, int], ...] = ()


Walked = Any  # how far one participant came, as `people_of` reads it
COLUMNS = ("state", "created_at", "consented_at", "finished_at", "repair_at", "checks", "answers", "counted", "is_here")


def people_of(trial: Trial) -> list[Walked]:
    """A row of `COLUMNS` for each participant; who `is_here` holds a sheet whose lease is running."""
    found = Participant.objects.filter(trial=trial, kind__in=TAKING_PART).annotate(
        answers=answers_in(trial).count(),
        counted=answers_in(trial).count(counts=True),
        is_here=Count("pk", filter=at_work()),
    )
    return list(found.values_list(*COLUMNS, named=True))


def flow(people: Sequence[Walked]) -> tuple[AttritionStep, ...]:
    """The steps from arrival to counted answers, as in a CONSORT diagram: who left at each step, and why."""
    agreed = [person for person in people if person.consented_at]
    begun = [one for one in agreed if one.answers or one.finished_at or one.state == ParticipantState.WITHDRAWN]
    finished = [one for one in begun if one.finished_at]
    return (
        AttritionStep("arrived", len(people)),
        AttritionStep(
            "agreed", len(agreed), _reasons([one for one in people if not one.consented_at], lambda _: "said no")
        ),
        AttritionStep("answered", len(begun), _reasons([one for one in agreed if one not in begun], _on_the_way)),
        AttritionStep("finished", len(finished), _reasons([one for one in begun if not one.finished_at], _on_the_way)),
        AttritionStep(
            "counted",
            sum(one.counted > 0 for one in finished),
            _reasons([one for one in finished if not one.counted], _after_the_end),
        ),
    )


def _on_the_way(one: Walked) -> str:
    words = {
        ParticipantState.STOPPED: "stopped",
        ParticipantState.WITHDRAWN: "withdrew",
        ParticipantState.EXCLUDED: "excluded",
        ParticipantState.SCREENED: "screened out by the quiz",
    }
    if one.repair_at and one.state == ParticipantState.CONSENTED:
        return "answers missing: marked for repair"
    return words.get(ParticipantState(one.state)) or ("at work now" if one.is_here else "left without a word")


def _after_the_end(one: Walked) -> str:
    words = {ParticipantState.WITHDRAWN: "withdrew", ParticipantState.EXCLUDED: "excluded"}
    return words.get(ParticipantState(one.state), "no answer counts: late, or not seen")


def _reasons(people: Sequence[Walked], reason) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(map(reason, people)).most_common())
