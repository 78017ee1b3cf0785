"""Who enters a study: people are stored when they answer the consent, and who that is says identities.py."""

import secrets

from django.db import transaction

from accounts.counting import enter
from humantrials.assignment.claims import claim_sheet
from humantrials.assignment.codes import public_code, token
from humantrials.assignment.prepared_queries import PreparedInsert
from humantrials.identities import TOKEN, Arrival, NotLetIn, forget, remember
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial
from humantrials.participation.progress import is_apart
from humantrials.participation.steps import agree
from humantrials.protocols.protocol import Consent
from humantrials.running.lifecycle import mark_simulated

# Per trial, and more than any panel sends. Never per IP address: a class or a panel may share one.
NEWCOMERS_A_MINUTE = 1200
INSERT = PreparedInsert(Participant)


def newcomer(trial: Trial, kind: str, language: str, wished: str = "") -> Participant:
    """Somebody who is not stored; the token `wished` comes from the page of the consent, so that a second press of its
    button leads to the same person.
    """
    return Participant(
        trial=trial,
        kind=kind,
        token=wished if TOKEN.fullmatch(wished) else token(),
        code=public_code(),
        language=language,
        answers_swapped=bool(secrets.randbits(1)),
    )


def begin(*, person: Participant, arrival: Arrival, consent: Consent) -> None:
    """Store a newcomer who agreed, with a sheet; raises NotLetIn, and stores nothing, if there is no place."""
    _count(person)
    with transaction.atomic():
        agree(person, consent)
        _store(person, arrival)
        if not is_apart(person) and claim_sheet(participant=person) is None:
            raise NotLetIn("full")


@transaction.atomic
def say_no(*, person: Participant, arrival: Arrival) -> None:
    """Store that a newcomer declined, and nothing else of them."""
    _count(person)
    person.traces, person.state = None, ParticipantState.DECLINED
    _store(person, arrival)
    forget(participant=person)


def _store(person: Participant, arrival: Arrival) -> None:
    INSERT.store(person)
    if arrival.external_id:
        remember(participant=person, arrival=arrival)


def _count(person: Participant) -> None:
    """Raises NotLetIn above the site's limit a minute or the author's an hour."""
    trial = person.trial
    if person.kind == ParticipantKind.SIMULATED:
        mark_simulated(trial=trial)
    if person.kind != ParticipantKind.PERSON:
        return
    if not enter(f"newcomers:{trial.pk}", limit=NEWCOMERS_A_MINUTE, seconds=60).is_let_in:
        raise NotLetIn("busy")
    wanted = trial.settings.get("newcomers")
    if wanted and not enter(f"newcomers-hour:{trial.pk}", limit=wanted, seconds=3600).is_let_in:
        raise NotLetIn("later")
