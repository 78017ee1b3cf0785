"""Pilots try a trial out in full. Their answers have their own table, and they never take a sheet."""

import hmac
from statistics import median
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from benchmarks.models import Key
from humantrials.assignment.sheets import locked
from humantrials.errors import BadAnswer
from humantrials.judging.attention_checks import accepts, find_question
from humantrials.models import Participant, ParticipantKind, ParticipantState, PilotAnswer, Sheet, Trial
from humantrials.protocols import find_protocol


def pilot_key(trial: Trial) -> str:
    """The key in the pilot link; its holder may try the study without signing in."""
    return hmac.digest(Key.secret_of("pilot"), trial.slug.encode(), "sha256").hex()[:24]


def is_pilot_key(trial: Trial, key: str) -> bool:
    """Whether the key is the trial's; before any pilot link was made none is, and asking makes none."""
    return Key.objects.filter(name="pilot").exists() and hmac.compare_digest(
        pilot_key(trial).encode(), key.encode(errors="replace")
    )


def sheet_to_try(trial: Trial) -> Sheet | None:
    """A sheet for the next pilot, each in turn; its state, holder and epoch stay unchanged."""
    count, before = trial.sheets.count(), trial.participants.filter(kind=ParticipantKind.PILOT).count()
    return trial.sheets.order_by("order")[before % count] if count else None


@transaction.atomic
def record_pilot_answer(*, participant: Participant, position: int, answer: str, records: dict[str, Any]) -> str:
    """Store the answer apart from judgments, or return the first one if it came twice."""
    person = locked(participant)
    question = find_question(person, position)
    if question is None or not accepts(find_protocol(person.trial.protocol), answer, question):
        raise BadAnswer("not an answer to one of your clips")
    standing, _ = PilotAnswer.objects.get_or_create(
        participant=person,
        position=position,
        defaults={"item_id": question.item_id, "answer": answer, "raw": answer, **records},
    )
    return standing.answer


def finish_pilot(*, participant: Participant) -> Participant:
    """Finish without a code, since no panel pays a pilot."""
    unfinished = Participant.objects.filter(pk=participant.pk, state=ParticipantState.CONSENTED)
    unfinished.update(state=ParticipantState.FINISHED, finished_at=Now())
    participant.refresh_from_db()
    return participant


def pilot_so_far(trial: Trial) -> dict[str, Any]:
    """Summary of a trial's pilots."""
    people = trial.participants.filter(kind=ParticipantKind.PILOT)
    answers = list(PilotAnswer.objects.filter(participant__in=people).values_list("seconds", "playback"))
    seconds = [time for time, _ in answers if time is not None]
    return {
        "arrived": people.count(),
        "finished": people.filter(state=ParticipantState.FINISHED).count(),
        "answers": len(answers),
        "flagged": sum(bool(playback.get("flags")) for _, playback in answers),
        "median_seconds": median(seconds) if seconds else None,
    }
