"""A trial's requests to Prolific: a draft with its places, and approvals and bonuses as staff decided them."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Any

from django.conf import settings
from django.db import transaction

from humantrials.errors import WrongState
from humantrials.identities import payees, visits
from humantrials.models import Participant, ParticipantState, PayKind, Trial
from humantrials.panels.prolific import PROLIFIC, completion_codes
from humantrials.panels.prolific_api import WAITING, Prolific, StudyDraft
from humantrials.protocols import find_protocol

API = "https://api.prolific.com"
STUDY, PAID = "prolific_study", "prolific_bonuses"  # in the panel's settings: the study's id, entries sent for payment


@dataclass(frozen=True)
class Payable:
    """Payments that staff approved and that were not yet requested from Prolific."""

    submissions: tuple[str, ...]
    bonuses: Mapping[str, Decimal]  # by the panel's id
    entries: tuple[int, ...]


def open_prolific() -> Prolific:
    """The workspace of this site; raises WrongState without a token."""
    if not settings.PROLIFIC_TOKEN:
        raise WrongState("set PROLIFIC_TOKEN to an API token of your workspace at Prolific")
    return Prolific(settings.PROLIFIC_TOKEN, API)


def create_draft(trial: Trial, prolific: Prolific) -> str:
    """Make an unpublished study for the sheets that are there; at most one a trial."""
    _check(trial)
    if trial.panel_settings.get(STUDY):
        raise WrongState(f"{trial.slug} has the study {trial.panel_settings[STUDY]} at Prolific already")
    if not trial.pay_amount:
        raise WrongState(f"{trial.slug} has no pay for a sheet: set it on the page Pay")
    if not trial.panel_settings.get("code_finished"):
        raise WrongState(f"{trial.slug} has no completion code for people who finished: set it on its panel page")
    seconds = find_protocol(trial.protocol).player.seconds_a_trial
    places = trial.sheets.count()
    draft = StudyDraft(
        name=trial.title,
        description=f"{trial.title}. {ceil(trial.slots.count() / places)} questions about short videos or pictures.",
        address=f"{settings.SITE_URL.rstrip('/')}/t/{trial.slug}/{PROLIFIC.entry}",
        places=places,
        minutes=max(1, ceil(trial.slots.count() / places * seconds / 60)),
        reward=trial.pay_amount,
        completion_codes=tuple(completion_codes(trial.panel_settings)),
    )
    study = prolific.create_draft(draft)
    _store(trial, {STUDY: study}, f"draft {study}, {places} places")
    return study


def study_of(trial: Trial) -> str:
    """The id of the trial's study at Prolific; raises WrongState if it has none."""
    _check(trial)
    if not trial.panel_settings.get(STUDY):
        raise WrongState(f"{trial.slug} has no study at Prolific yet: make its draft first")
    return str(trial.panel_settings[STUDY])


def payable(trial: Trial) -> Payable:
    """Submissions with approved base pay, and approved bonuses that were never sent."""
    ids, sessions, sent = payees(trial), visits(trial, "session_id"), set(trial.panel_settings.get(PAID, ()))
    base = trial.pay_entries.filter(kind=PayKind.BASE, amount__gt=0).values_list("participant", flat=True)
    bonuses = {
        entry.pk: entry
        for entry in trial.pay_entries.filter(kind=PayKind.BONUS, amount__gt=0)
        if entry.pk not in sent and ids.get(entry.participant_id)
    }
    return Payable(
        tuple(sessions[person] for person in base if person in sessions),
        {ids[bonuse.participant_id]: bonuse.amount for bonuse in bonuses.values()},
        tuple(bonuses),
    )


def approve(trial: Trial, prolific: Prolific) -> int:
    """Approve the submissions that wait and whose base pay a person approved here; returns how many."""
    waiting = {submission.id for submission in prolific.submissions(study_of(trial)) if submission.status == WAITING}
    due = [session for session in payable(trial).submissions if session in waiting]
    if due:
        prolific.approve(due)
        _store(trial, {}, f"approved {len(due)} submissions")
    return len(due)


def screen_out(trial: Trial, prolific: Prolific) -> int:
    """Complete the submissions of people who failed the quiz with the study's code for them; returns how many."""
    code = trial.panel_settings.get("code_screened")
    if not code:
        raise WrongState(f"{trial.slug} has no completion code for people who are screened out")
    active = {
        submission.id
        for submission in prolific.submissions(study_of(trial))
        if submission.status in ("ACTIVE", WAITING)
    }
    sessions = visits(trial, "session_id")
    people = Participant.objects.filter(trial=trial, state=ParticipantState.SCREENED).values_list("pk", flat=True)
    due = [sessions[person] for person in people if sessions.get(person) in active]
    for session in due:
        prolific.screen_out(session, code)
    if due:
        _store(trial, {}, f"screened out {len(due)} submissions")
    return len(due)


def pay_bonuses(trial: Trial, prolific: Prolific) -> int:
    """Pay approved bonuses that were never sent; returns how many.

    Prolific pays again with every request, so the entries are marked as sent before the request. If the reply is lost,
    a person checks at Prolific, and nobody is paid twice.
    """
    due = payable(trial)
    if not due.bonuses:
        return 0
    bonuses = prolific.set_up_bonuses(study_of(trial), due.bonuses)
    sent = [*trial.panel_settings.get(PAID, ()), *due.entries]
    _store(trial, {PAID: sent}, f"bonuses {bonuses}: {len(due.bonuses)}, {sum(due.bonuses.values())}")
    prolific.pay_bonuses(bonuses)
    return len(due.bonuses)


def _check(trial: Trial) -> None:
    if trial.panel != PROLIFIC.name:
        raise WrongState(f"{trial.slug} has another panel: {trial.panel}")


@transaction.atomic
def _store(trial: Trial, values: Mapping[str, Any], note: str) -> None:
    trial.panel_settings = {**trial.panel_settings, **values}
    trial.save(update_fields=["panel_settings"])
    trial.events.create(kind="prolific", note=note)
