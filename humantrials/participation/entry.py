"""Entry to a trial: finds the participant who was here before, or creates a new one."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Any

from accounts.counting import enter
from benchmarks.models import Key
from humantrials.assignment.codes import public_code, token
from humantrials.assignment.prepared_queries import PreparedInsert
from humantrials.identities import known_participant, refresh_visit, remember
from humantrials.models import Participant, ParticipantKind, Trial
from humantrials.panels import Arrival, NotLetIn
from humantrials.participation.pilots import sheet_to_try
from humantrials.participation.traces import is_crowded
from humantrials.studies.lifecycle import mark_simulated

# Per trial, and more than any panel sends. Never per IP address: a class or a panel may share one.
NEWCOMERS_A_MINUTE = 1200
INSERT = PreparedInsert(Participant)
SIMULATOR_HEADER = "X-Benchsite-Simulator"


def arrive(
    *, trial: Trial, arrival: Arrival, language: str, simulator: str = "", traces: Mapping[str, Any] | None = None
) -> Participant:
    """The participant with this external id; a new one if the id is unknown or the link carries none.

    `traces` are those of the visit; raises NotLetIn where the trial limits the people of one address.
    """
    known = known_participant(trial, arrival) if arrival.external_id else None
    if known:
        refresh_visit(participant=known, arrival=arrival)
        return known
    kind = ParticipantKind.PERSON
    if not simulator and traces and is_crowded(trial, traces["address"]):
        raise NotLetIn("crowded")
    if not simulator:
        _count_newcomer(trial)
    if simulator:
        mark_simulated(trial=trial)
        kind = ParticipantKind.SIMULATED
    participant = _new(trial, kind, language, traces=None if simulator else traces)
    return remember(participant=participant, arrival=arrival) if arrival.external_id else participant


def _count_newcomer(trial: Trial) -> None:
    """Raises NotLetIn above the site's limit of new people a minute, or the author's limit an hour."""
    if not enter(f"newcomers:{trial.pk}", limit=NEWCOMERS_A_MINUTE, seconds=60).is_let_in:
        raise NotLetIn("busy")
    wanted = trial.settings.get("newcomers")
    if wanted and not enter(f"newcomers-hour:{trial.pk}", limit=wanted, seconds=3600).is_let_in:
        raise NotLetIn("later")


def preview(*, trial: Trial, language: str) -> Participant:
    """Create a preview for a member of staff, who sees the first sheet's clips and leaves no answers."""
    participant = _new(trial, ParticipantKind.PREVIEW, language)
    participant.sheet = trial.sheets.first()
    participant.save(update_fields=["sheet"])
    return participant


def pilot(*, trial: Trial, language: str) -> Participant:
    """Create a pilot, who tries out the whole study without taking a sheet."""
    sheet = sheet_to_try(trial)
    participant = _new(trial, ParticipantKind.PILOT, language)
    participant.sheet = sheet
    participant.save(update_fields=["sheet"])
    return participant


def _new(trial: Trial, kind: str, language: str, *, traces: Mapping[str, Any] | None = None) -> Participant:
    participant = Participant(
        traces=traces,
        trial=trial,
        kind=kind,
        token=token(),
        code=public_code(),
        language=language,
        answers_swapped=bool(secrets.randbits(1)),
    )
    INSERT.store(participant)
    return participant


def simulator_signature(slug: str) -> str:
    """The signature of this site's simulator; without it nobody can mark a trial as simulated."""
    key, _ = Key.objects.get_or_create(name="simulator", defaults={"secret": secrets.token_bytes(32)})
    return hmac.new(bytes(key.secret), slug.encode(), hashlib.sha256).hexdigest()


def is_simulator(slug: str, signature: str) -> bool:
    return hmac.compare_digest(simulator_signature(slug).encode(), signature.encode(errors="replace"))
