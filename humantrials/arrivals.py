"""Somebody comes to a trial's door: the person who was here before, or a new participant."""

import hashlib
import hmac
import secrets
from datetime import timedelta

from django.utils import timezone

from benchmarks.models import Key
from humantrials.codes import public_code, token
from humantrials.identities import known_participant, refresh_visit, remember
from humantrials.models import Participant, ParticipantKind, Trial
from humantrials.panels import Arrival, NotLetIn
from humantrials.piloting import sheet_to_try
from humantrials.trials import mark_simulated

NEWCOMERS_A_MINUTE = 1200  # of one trial
SIMULATOR_HEADER = "X-Benchsite-Simulator"


def arrive(*, trial: Trial, arrival: Arrival, language: str, simulator: str = "") -> Participant:
    """The participant with this external id; a new one where there is none, or where the link carries no id."""
    known = known_participant(trial, arrival) if arrival.external_id else None
    if known:
        refresh_visit(participant=known, arrival=arrival)
        return known
    kind = ParticipantKind.PERSON
    if not simulator and _is_flooded(trial):
        raise NotLetIn("busy")
    if simulator:
        mark_simulated(trial=trial)
        kind = ParticipantKind.SIMULATED
    participant = _new(trial, kind, language)
    return remember(participant=participant, arrival=arrival) if arrival.external_id else participant


def _is_flooded(trial: Trial) -> bool:
    """More newcomers within a minute than any panel sends. Never by address: a class or a panel may share one."""
    lately = trial.participants.filter(created_at__gt=timezone.now() - timedelta(minutes=1))
    return lately.count() >= NEWCOMERS_A_MINUTE


def preview(*, trial: Trial, language: str) -> Participant:
    """Somebody of the staff who walks the road: sees the first sheet's clips and leaves nothing."""
    participant = _new(trial, ParticipantKind.PREVIEW, language)
    participant.sheet = trial.sheets.first()
    participant.save(update_fields=["sheet"])
    return participant


def pilot(*, trial: Trial, language: str) -> Participant:
    """Somebody who tries the study out: walks the whole road, and no sheet is taken."""
    sheet = sheet_to_try(trial)
    participant = _new(trial, ParticipantKind.PILOT, language)
    participant.sheet = sheet
    participant.save(update_fields=["sheet"])
    return participant


def _new(trial: Trial, kind: str, language: str) -> Participant:
    return Participant.objects.create(
        trial=trial,
        kind=kind,
        token=token(),
        code=public_code(),
        language=language,
        answers_swapped=bool(secrets.randbits(1)),
    )


def simulator_signature(slug: str) -> str:
    """What the simulator of this installation shows at the door. Nobody else can make a trial a simulated one."""
    key, _ = Key.objects.get_or_create(name="simulator", defaults={"secret": secrets.token_bytes(32)})
    return hmac.new(bytes(key.secret), slug.encode(), hashlib.sha256).hexdigest()


def is_simulator(slug: str, shown: str) -> bool:
    return hmac.compare_digest(simulator_signature(slug), shown)
