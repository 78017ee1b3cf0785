"""Who enters a study: people are stored when they answer the consent, and people who return prove who they are."""

import hashlib
import hmac
import re
import secrets

from django.db import transaction

from accounts.counting import enter
from benchmarks.models import Key
from humantrials.assignment.claims import claim_sheet
from humantrials.assignment.codes import public_code, token
from humantrials.assignment.exits import participant_of_receipt
from humantrials.assignment.prepared_queries import WORD, PreparedInsert, PreparedQuery
from humantrials.identities import forget, has_ids, known_participant, refresh_visit, remember
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial
from humantrials.panels import Arrival, NotLetIn
from humantrials.participation.progress import is_apart
from humantrials.participation.steps import agree
from humantrials.protocols.protocol import Consent
from humantrials.studies.lifecycle import mark_simulated

# Per trial, and more than any panel sends. Never per IP address: a class or a panel may share one.
NEWCOMERS_A_MINUTE = 1200
INSERT = PreparedInsert(Participant)
BY_TOKEN = PreparedQuery(lambda: Participant.objects.filter(token=WORD).select_related("trial"), WORD)
SIMULATOR_HEADER = "X-Benchsite-Simulator"
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


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
    _count(person, arrival)
    with transaction.atomic():
        agree(person, consent)
        _store(person, arrival)
        if not is_apart(person) and claim_sheet(participant=person) is None:
            raise NotLetIn("full")


@transaction.atomic
def say_no(*, person: Participant, arrival: Arrival) -> None:
    """Store that a newcomer declined, and nothing else of them."""
    _count(person, arrival)
    person.traces, person.state = None, ParticipantState.DECLINED
    _store(person, arrival)
    forget(participant=person)


def _store(person: Participant, arrival: Arrival) -> None:
    INSERT.store(person)
    if arrival.external_id:
        remember(participant=person, arrival=arrival)


def _count(person: Participant, arrival: Arrival) -> None:
    """Raises NotLetIn for an id that is known, and above the site's limit a minute or the author's an hour."""
    trial = person.trial
    if arrival.external_id and known_participant(trial, arrival):
        raise NotLetIn("begun")
    if person.kind == ParticipantKind.SIMULATED:
        mark_simulated(trial=trial)
    if person.kind != ParticipantKind.PERSON:
        return
    if not enter(f"newcomers:{trial.pk}", limit=NEWCOMERS_A_MINUTE, seconds=60).is_let_in:
        raise NotLetIn("busy")
    wanted = trial.settings.get("newcomers")
    if wanted and not enter(f"newcomers-hour:{trial.pk}", limit=wanted, seconds=3600).is_let_in:
        raise NotLetIn("later")


def vouched_participant(trial: Trial, arrival: Arrival) -> Participant | None:
    """The participant whom the link itself proves: by an invitation or a signature, never by an id alone."""
    return known_participant(trial, arrival) if arrival.is_vouched and has_ids(trial) else None


def returning(*, trial: Trial, arrival: Arrival, proof: str) -> Participant | None:
    """The participant who comes again, by the link itself, the key of their own address or their receipt code."""
    person = vouched_participant(trial, arrival) or _proven(trial, proof)
    if person and arrival.external_id and known_participant(trial, arrival) == person:
        refresh_visit(participant=person, arrival=arrival)
    return person


def _proven(trial: Trial, proof: str) -> Participant | None:
    person = participant_of(proof) if TOKEN.fullmatch(proof) else participant_of_receipt(proof)
    return person if person and person.trial_id == trial.pk else None


def participant_of(token: str) -> Participant | None:
    """The participant of the token, with their trial."""
    return next(iter(BY_TOKEN.models(token)), None)


def simulator_signature(slug: str) -> str:
    """The signature of this site's simulator; without it nobody can mark a trial as simulated."""
    key, _ = Key.objects.get_or_create(name="simulator", defaults={"secret": secrets.token_bytes(32)})
    return hmac.new(bytes(key.secret), slug.encode(), hashlib.sha256).hexdigest()


def is_simulator(slug: str, signature: str) -> bool:
    """Whether this site's simulator signed; a request without a signature never is, whatever header it has."""
    if not signature or not Key.objects.filter(name="simulator").exists():
        return False
    return hmac.compare_digest(simulator_signature(slug).encode(), signature.encode(errors="replace"))
