"""One person over several sheets. Each sheet is a sitting, with a token, a code and a receipt of its own."""

from django.db import transaction
from django.db.models import Q, QuerySet

from humantrials.codes import public_code, receipt_code, token
from humantrials.leases import EXPIRED, OPEN, locked
from humantrials.models import Participant, ParticipantState, Sheet, Stage, Task, TaskAnswer

OUT = (
    ParticipantState.EXCLUDED,
    ParticipantState.SCREENED,
    ParticipantState.WITHDRAWN,
    ParticipantState.DECLINED,
    ParticipantState.STOPPED,
)
MOST_MISSED = 1  # instructions that somebody may miss: the first time there is a warning (section 6.4)


def root_of(person: Participant) -> Participant:
    """Who the person was when they came first."""
    return person.first or person


def sittings_of(person: Participant) -> QuerySet[Participant]:
    root = person.first_id or person.pk
    return Participant.objects.filter(Q(pk=root) | Q(first=root))


def missed_by(person: Participant) -> int:
    """How many instructions in place of questions this person did not follow, over all sheets."""
    return TaskAnswer.objects.filter(participant__in=sittings_of(person), missed_attention=True).count()


def sheets_for(person: Participant, sheets: QuerySet[Sheet]) -> QuerySet[Sheet]:
    """Those without a pair that the person had before: three answers to a question are of three people."""
    earlier = sittings_of(person).exclude(pk=person.pk)
    met = Task.objects.filter(Q(sheet__in=earlier.values("sheet")) | Q(answers__participant__in=earlier))
    pairs = set(met.filter(pair__isnull=False).values_list("pair", flat=True))
    taken = Task.objects.filter(trial=person.trial_id, pair__in=pairs).values_list("sheet", flat=True) if pairs else ()
    return sheets.exclude(pk__in=set(taken))


def next_sitting(person: Participant) -> Participant | None:
    """The sitting that is not finished, of whoever has one."""
    return sittings_of(person).filter(state__in=(ParticipantState.ARRIVED, ParticipantState.CONSENTED)).first()


def may_go_on(person: Participant) -> bool:
    """Whether there is a sheet for the person beside those they had; not for whoever left or was let go."""
    if next_sitting(person) or sittings_of(person).filter(state__in=OUT).exists():
        return False
    newcomer = Participant(trial=person.trial, first=root_of(person))
    return sheets_for(newcomer, Sheet.objects.filter(OPEN | EXPIRED, trial=person.trial)).exists()


@transaction.atomic
def go_on(*, participant: Participant) -> Participant | None:
    """Another sitting, agreed to what was agreed to before; pressed twice it is the same one. None where none is."""
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
    """The stage whose tasks the sheet has; '' of a sheet without any."""
    found = Task.objects.filter(sheet=sheet).values_list("stage", flat=True).first() if sheet else None
    return Stage(found) if found else ""
