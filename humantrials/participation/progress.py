"""A participant's progress: their answers, and whether they hold the sheet that they look at."""

from datetime import timedelta

from django.utils import timezone

from humantrials.assignment.answers import slots_of
from humantrials.assignment.prepared_queries import ONE, PreparedQuery
from humantrials.judging.attention_checks import attention_count
from humantrials.models import Judgment, Participant, ParticipantKind

JUDGED = PreparedQuery(lambda: Judgment.objects.filter(participant=ONE).values_list("slot"), ONE)
SOONEST = timedelta(seconds=0.5)  # between answers by forms alone: a double click; static/js/trial-guard.js, too
PREVIEWED = "trials-"  # a preview leaves no answers, so its step remembers how many clips were shown


def is_preview(person: Participant) -> bool:
    return person.kind == ParticipantKind.PREVIEW


def is_pilot(person: Participant) -> bool:
    return person.kind == ParticipantKind.PILOT


def is_apart(person: Participant) -> bool:
    """Whether the person looks at a sheet without holding it."""
    return is_preview(person) or is_pilot(person)


def is_too_soon(person: Participant) -> bool:
    """Whether the last answer was stored so lately that nobody has seen the page after it: a double click."""
    now = timezone.now()
    rows = (person.judgments, person.attention_answers, person.pilot_answers, person.follow_ups)
    return any(kind.filter(created_at__range=(now - SOONEST, now)).exists() for kind in rows)


def answered_positions(person: Participant) -> set[int]:
    if is_preview(person):
        return set(range(int(person.step.removeprefix(PREVIEWED)))) if person.step.startswith(PREVIEWED) else set()
    if is_pilot(person):
        return set(person.pilot_answers.values_list("position", flat=True))
    judged = {slot for (slot,) in JUDGED.rows(person.pk)}
    answered = {slot.position for slot in slots_of(person) if slot.pk in judged}
    if attention_count(person.trial):
        answered |= set(person.attention_answers.values_list("position", flat=True))
    return answered
