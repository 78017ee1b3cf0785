"""One person on several sheets. Each sheet is a sitting with its own token, code and receipt."""

from django.db import transaction
from django.db.models import Q, QuerySet

from benchmarks.leasing import free
from extensions.annotation.models import Stage, Task, TaskAnswer
from humantrials.assignment.prepared_queries import ONE, PreparedQuery
from humantrials.assignment.sheets import locked
from humantrials.models import Participant, ParticipantState, Sheet
from humantrials.models.participants import public_code, receipt_code, token

OUT = (
    ParticipantState.EXCLUDED,
    ParticipantState.SCREENED,
    ParticipantState.WITHDRAWN,
    ParticipantState.DECLINED,
    ParticipantState.STOPPED,
)
MOST_MISSED = 1  # instructions that a person may miss: the first one brings a warning (section 6.4)


def root_of(person: Participant) -> Participant:
    """The person's first sitting."""
    return person.first or person


def first_of(person: Participant) -> int:
    """The key of the person's first sitting."""
    return person.first_id or person.pk


def sittings_after(first: int) -> QuerySet[Participant]:
    """The sitting with this key and those of the same person after it."""
    return Participant.objects.filter(Q(pk=first) | Q(first=first))


def sittings_of(person: Participant) -> QuerySet[Participant]:
    return sittings_after(first_of(person))


MISSED = PreparedQuery(
    lambda: TaskAnswer.objects.filter(participant__in=sittings_after(ONE), missed_attention=True).values_list("pk"), ONE
)


def missed_by(person: Participant) -> int:
    """The number of instructions that this person did not follow, over all sheets."""
    return len(MISSED.rows(first_of(person)))


def sheets_for(person: Participant, sheets: QuerySet[Sheet]) -> QuerySet[Sheet]:
    """The sheets without a pair or clip that the person had before: three answers must come from three people, and
    nobody may judge a picture after hearing its clip. Somebody who is not stored yet had none."""
    if person.pk is person.first_id is None:
        return sheets
    earlier = sittings_of(person).exclude(pk=person.pk)
    met = Task.objects.filter(Q(sheet__in=earlier.values("sheet")) | Q(answers__participant__in=earlier))
    pairs = set(met.filter(pair__isnull=False).values_list("pair", flat=True))
    clips = set(met.filter(object__isnull=False).values_list("object", flat=True))
    again = Q(pair__in=pairs) | Q(object__in=clips)
    taken = Task.objects.filter(again, trial=person.trial_id).values_list("sheet", flat=True) if pairs or clips else ()
    return sheets.exclude(pk__in=set(taken))


def next_sitting(person: Participant) -> Participant | None:
    """The person's unfinished sitting, if any."""
    return sittings_of(person).filter(state=ParticipantState.CONSENTED).first()


def may_go_on(person: Participant) -> bool:
    """Whether another sheet is free for the person; not if they left or were excluded."""
    if next_sitting(person) or sittings_of(person).filter(state__in=OUT).exists():
        return False
    newcomer = Participant(trial=person.trial, first=root_of(person))
    return sheets_for(newcomer, Sheet.objects.filter(free(Sheet), trial=person.trial)).exists()


@transaction.atomic
def go_on(*, participant: Participant) -> Participant | None:
    """Create another sitting under the same consent, or return the open one; None if no sheet is free."""
    root = locked(root_of(participant))
    root.trial = participant.trial
    if standing := next_sitting(root):
        return standing
    if not may_go_on(root):
        return None
    return Participant.objects.create(
        trial=root.trial,
        first=root,
        kind=root.kind,
        token=token(),
        code=public_code(),
        language=participant.language,
        state=ParticipantState.CONSENTED,
        step="instructions",
        consent_version=root.consent_version,
        consent_hash=root.consent_hash,
        consented_at=root.consented_at,
        receipt_code=receipt_code(),
    )


def stage_of(sheet: Sheet | None) -> str:
    """The stage of the sheet's tasks, or ''."""
    found = Task.objects.filter(sheet=sheet).values_list("stage", flat=True).first() if sheet else None
    return Stage(found) if found else ""
