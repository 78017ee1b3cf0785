"""A participant's progress: their answers, and whether they hold the sheet that they look at."""

from humantrials.assignment.answers import slots_of
from humantrials.assignment.prepared_queries import ONE, PreparedQuery
from humantrials.models import Judgment, Participant, ParticipantKind
from humantrials.studies.attention_checks import attention_count

JUDGED = PreparedQuery(lambda: Judgment.objects.filter(participant=ONE).values_list("slot"), ONE)
PREVIEWED = "trials-"  # a preview leaves no answers, so its step remembers how many clips were shown


def is_preview(person: Participant) -> bool:
    return person.kind == ParticipantKind.PREVIEW


def is_pilot(person: Participant) -> bool:
    return person.kind == ParticipantKind.PILOT


def is_apart(person: Participant) -> bool:
    """Whether the person looks at a sheet without holding it."""
    return is_preview(person) or is_pilot(person)


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
