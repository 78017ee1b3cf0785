"""A trial's requests to Prolific: a draft with its places, and approvals and bonuses as staff decided them."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from django.conf import settings
from django.db import transaction

from humantrials.errors import WrongState
from humantrials.identities import payees, sessions_of
from humantrials.models import ParticipantState, PayKind, Trial
from humantrials.panels.prolific import PROLIFIC, completion_codes
from humantrials.panels.prolific_api import WAITING, Prolific
from humantrials.protocols import find_protocol

API = "https://api.prolific.com"
STUDY, PAID = "prolific_study", "prolific_bonuses"  # in the panel's settings: the study's id, entries sent for payment


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
    draft = {
        "name": trial.title,
        "description": f"{trial.title}. {ceil(trial.slots.count() / places)} questions about short videos or pictures.",
        "external_study_url": f"{settings.SITE_URL}/t/{trial.slug}/{PROLIFIC.entry}",
        "prolific_id_option": "url_parameters",
        "total_available_places": places,
        "estimated_completion_time": max(1, ceil(trial.slots.count() / places * seconds / 60)),
        "reward": int(trial.pay_amount * 100),  # for a whole sheet
        "completion_codes": completion_codes(trial.panel_settings),
    }
    study = prolific.create_draft(draft)
    _store(trial, {STUDY: study}, f"draft {study}, {places} places")
    return study


def study_of(trial: Trial) -> str:
    """The id of the trial's study at Prolific; raises WrongState if it has none."""
    _check(trial)
    if not trial.panel_settings.get(STUDY):
        raise WrongState(f"{trial.slug} has no study at Prolific yet: make its draft first")
    return str(trial.panel_settings[STUDY])


def approve(trial: Trial, prolific: Prolific) -> int:
    """Approve the submissions that wait and whose base pay a person approved here; returns how many."""
    base = trial.pay_entries.filter(kind=PayKind.BASE, amount__gt=0).values_list("participant", flat=True)
    if due := _submissions(trial, prolific, base, WAITING):
        prolific.approve(due)
        _store(trial, {}, f"approved {len(due)} submissions")
    return len(due)


def screen_out(trial: Trial, prolific: Prolific) -> int:
    """Complete the submissions of people who failed the quiz with the study's code for them; returns how many."""
    code = trial.panel_settings.get("code_screened")
    if not code:
        raise WrongState(f"{trial.slug} has no completion code for people who are screened out")
    people = trial.participants.filter(state=ParticipantState.SCREENED).values_list("pk", flat=True)
    due = _submissions(trial, prolific, people, "ACTIVE", WAITING)
    for session in due:
        prolific.screen_out(session, code)
    if due:
        _store(trial, {}, f"screened out {len(due)} submissions")
    return len(due)


def _submissions(trial: Trial, prolific: Prolific, people: Iterable[int], *states: str) -> list[str]:
    """The submissions of these people that are in one of these states."""
    found = {submission.id for submission in prolific.submissions(study_of(trial)) if submission.status in states}
    sessions = sessions_of(trial)
    return [sessions[person] for person in people if sessions.get(person) in found]


def pay_bonuses(trial: Trial, prolific: Prolific) -> int:
    """Pay approved bonuses that were never sent; returns how many.

    Prolific pays again with every request, so the entries are marked as sent before the request. If the reply is lost,
    a person checks at Prolific, and nobody is paid twice.
    """
    ids, sent = payees(trial), trial.panel_settings.get(PAID, [])
    entries = trial.pay_entries.filter(kind=PayKind.BONUS, amount__gt=0).exclude(pk__in=sent)
    due = [entry for entry in entries if ids.get(entry.participant_id)]
    if not due:
        return 0
    bonuses = prolific.set_up_bonuses(study_of(trial), {ids[one.participant_id]: one.amount for one in due})
    note = f"bonuses {bonuses}: {len(due)}, {sum(one.amount for one in due)}"
    _store(trial, {PAID: [*sent, *(one.pk for one in due)]}, note)
    prolific.pay_bonuses(bonuses)
    return len(due)


def _check(trial: Trial) -> None:
    if trial.panel != PROLIFIC.name:
        raise WrongState(f"{trial.slug} has another panel: {trial.panel}")


@transaction.atomic
def _store(trial: Trial, values: Mapping[str, Any], note: str) -> None:
    trial.panel_settings = {**trial.panel_settings, **values}
    trial.save(update_fields=["panel_settings"])
    trial.events.create(kind="prolific", note=note)
