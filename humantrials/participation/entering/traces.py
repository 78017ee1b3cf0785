"""Traces by which two visits of one person are noticed: keyed hashes of the network address and of browsers.

They show that two people of one study may be the same person, never who it is: each study of this site has its own key.
They are erased with the answers, and with the panel's ids after the trial's days.
"""

import hashlib
import hmac
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from accounts.client_ip import address_of
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial

DIGITS = 16  # hexadecimal digits of a hash: no two among a million addresses are the same by chance
MOST = 5  # browsers stored for a person


def address_trace(request: HttpRequest, trial: Trial) -> str:
    """The keyed hash of the caller's network address."""
    return _hashed(trial, "address", address_of(request))


def browser_trace(request: HttpRequest, trial: Trial) -> str:
    """The keyed hash of the browser's user agent."""
    return _hashed(trial, "browser", request.headers.get("User-Agent", "")[:500])


def note_traces(person: Participant, request: HttpRequest) -> None:
    """Store the address of the participant's first visit and their browsers; a known browser costs nothing."""
    if person.kind != ParticipantKind.PERSON or person.state != ParticipantState.CONSENTED:
        return
    known, browser = person.traces or {}, browser_trace(request, person.trial)
    browsers = known.get("browsers", [])
    if browser in browsers or len(browsers) >= MOST:
        return
    address = known.get("address") or address_trace(request, person.trial)
    person.traces = {"address": address, "browsers": [*browsers, browser]}
    Participant.objects.filter(pk=person.pk, state=ParticipantState.CONSENTED).update(traces=person.traces)


def traces_of(request: HttpRequest, trial: Trial) -> dict[str, Any]:
    """The traces of a first visit."""
    return {"address": address_trace(request, trial), "browsers": [browser_trace(request, trial)]}


def is_crowded(trial: Trial, address: str) -> bool:
    """Whether the trial's limit of people from one address is reached."""
    limit = trial.settings.get("people_per_address")
    return limit is not None and trial.participants.filter(traces__address=address).count() >= limit


def _hashed(trial: Trial, kind: str, value: str) -> str:
    message = f"{trial.pk}/{trial.salt}/{kind}/{value}"
    return hmac.new(settings.SECRET_KEY.encode(), message.encode(), hashlib.sha256).hexdigest()[:DIGITS]
