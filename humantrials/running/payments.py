"""Pay: a recommendation with its reason for everybody who consented, and a ledger of approved payments.

Software recommends and never rejects: work that does not count is paid like work that does, and staff decide.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import ROUND_UP, Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet, Value

from accounts.models import User
from humantrials.assignment.sheets import answers_in, at_work
from humantrials.errors import AlreadyPaid
from humantrials.judging.answer_flags import SAME_ADDRESS, SAME_DEVICE, SEVERAL_BROWSERS, AnswerFlag, flags_of
from humantrials.models import Participant, ParticipantKind, ParticipantState, PayEntry, PayKind, Trial

CENT = Decimal("0.01")
HARMLESS = (SAME_ADDRESS, SAME_DEVICE, SEVERAL_BROWSERS)  # as in a laboratory or a class
Owed = Any  # a participant with their work, as `owed` reads it


@dataclass(frozen=True)
class Recommendation:
    """What to pay and why; `amount` is None if only a person can decide.

    `look` are the flags to look at first: such a person is not among those who are approved together.
    """

    amount: Decimal | None
    reason: str
    look: tuple[str, ...] = ()


def recommend(work: Owed, full: Decimal) -> Recommendation:
    """Full pay for a finished sheet, else a share by answered clips, rounded up to a cent."""
    if work.finished_at:
        return Recommendation(full, _finished(work))
    if work.state == ParticipantState.WITHDRAWN:
        return Recommendation(None, "withdrew before the end; the number of answers is erased")
    if work.sent_rounds and not work.answers and not work.working:
        sent = f"sent {work.sent_rounds} qualification round{'' if work.sent_rounds == 1 else 's'}, and no sheet"
        return Recommendation(None, sent + (" (not let in)" if work.state == ParticipantState.SCREENED else ""))
    if work.state == ParticipantState.SCREENED:
        return Recommendation(None, "was screened out by the quiz, after reading the instructions")
    if work.repair_at:  # the code was given, but answers are missing
        reason = f"has the code, but {work.answers} of {work.wanted} answers arrived: marked for repair"
        return Recommendation(None, reason)
    if work.working:
        return Recommendation(None, "at work now")
    if not work.answers:
        return Recommendation(Decimal(0), "answered nothing")
    share = Decimal(work.answers) / Decimal(max(work.wanted, work.answers))
    amount = (full * share).quantize(CENT, rounding=ROUND_UP)
    return Recommendation(amount, f"answered {work.answers} of {work.wanted}")


def _finished(work: Owed) -> str:
    reasons = {
        ParticipantState.WITHDRAWN: "finished, then withdrew; the work was done",
        ParticipantState.EXCLUDED: "finished; excluded from the results, which takes nothing from the pay",
    }
    none = "finished; no answer counts, which takes nothing from the pay"
    return reasons.get(ParticipantState(work.state)) or ("finished" if work.counted else none)


@dataclass(frozen=True)
class PayLine:
    """One person on the review page."""

    person: Participant
    recommended: Recommendation
    approved: tuple[PayEntry, ...]

    @property
    def is_due(self) -> bool:
        """Whether pay is recommended but not yet approved."""
        has_base = any(entry.kind == PayKind.BASE for entry in self.approved)
        return bool(self.recommended.amount) and not has_base and not self.recommended.look


def owed(trial: Trial) -> QuerySet[Participant]:
    """Everybody who consented; others are owed nothing."""
    people = trial.participants.filter(kind=ParticipantKind.PERSON, consented_at__isnull=False)
    answers = answers_in(trial)
    return people.annotate(
        answers=answers.count(),
        counted=answers.count(counts=True),
        wanted=Count(f"sheet__{answers.places}", distinct=True),
        sent_rounds=Count(answers.before, distinct=True) if answers.before else Value(0),
        working=Count("pk", filter=at_work()),
    ).order_by("pk")


def lines(trial: Trial, people: Iterable[Owed]) -> list[PayLine]:
    """One line per person: the recommendation and the approved entries."""
    found = list(people)
    entries: dict[int, list[PayEntry]] = {}
    for entry in PayEntry.objects.filter(participant__in=found):
        entries.setdefault(entry.participant_id, []).append(entry)
    flags = flags_of(trial, [one.pk for one in found])
    return [
        PayLine(
            one,
            replace(recommend(one, trial.pay_amount or Decimal(0)), look=_to_look_at(flags.get(one.pk, ()))),
            tuple(entries.get(one.pk, ())),
        )
        for one in found
    ]


def _to_look_at(flags: Iterable[AnswerFlag]) -> tuple[str, ...]:
    """The flags that advise a look before paying; shared addresses and browsers are not among them."""
    return tuple(f"{flag.name}: {flag.says}" for flag in flags if flag.name not in HARMLESS)


def approve(*, participant: Participant, kind: str, amount: Decimal, reason: str, by: User) -> PayEntry:
    """Add an entry to the ledger; a person is paid once for each kind."""
    try:
        with transaction.atomic():
            return PayEntry.objects.create(
                trial_id=participant.trial_id, participant=participant, kind=kind, amount=amount, reason=reason, by=by
            )
    except IntegrityError:
        raise AlreadyPaid(f"{participant.code} has its {kind} pay already") from None


@transaction.atomic
def approve_all(*, trial: Trial, by: User) -> int:
    """Approve every recommendation that is not yet approved; return how many."""
    due = [line for line in lines(trial, owed(trial)) if line.is_due]
    for line in due:
        amount = line.recommended.amount or Decimal(0)
        approve(participant=line.person, kind=PayKind.BASE, amount=amount, reason=line.recommended.reason, by=by)
    if due:
        trial.events.create(kind="pay approved", note=f"{len(due)} as recommended", by=by)
    return len(due)
