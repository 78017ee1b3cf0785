"""Who a panel says somebody is. The only module that reads or writes external ids; the rest of the site knows codes."""

import hashlib
import hmac
import secrets
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from benchmarks.models import Key
from humantrials.models import Identity, Participant, Trial, TrialEvent, TrialState
from humantrials.panels import Arrival


def digest_of(trial: Trial, arrival: Arrival) -> str:
    """Stands for one person in one trial; without this installation's key it can't be worked out from the id."""
    key, _ = Key.objects.get_or_create(name="identities", defaults={"secret": secrets.token_bytes(32)})
    message = f"{trial.pk}\n{arrival.panel}\n{arrival.external_id}"
    return hmac.new(bytes(key.secret), message.encode(), hashlib.sha256).hexdigest()


def qualification(slug: str, external_id: str) -> str:
    """Stands for one id on a trial's list of qualified people, which holds no id itself."""
    key, _ = Key.objects.get_or_create(name="identities", defaults={"secret": secrets.token_bytes(32)})
    return hmac.new(bytes(key.secret), f"qualified\n{slug}\n{external_id}".encode(), hashlib.sha256).hexdigest()[:32]


def is_qualified(trial: Trial, arrival: Arrival) -> bool:
    return qualification(trial.slug, arrival.external_id) in trial.settings.get("qualified", ())


def known_participant(trial: Trial, arrival: Arrival) -> Participant | None:
    """The participant who came with this external id before, also with other parameters beside it."""
    identity = Identity.objects.filter(trial=trial, digest=digest_of(trial, arrival)).select_related("participant")
    found = identity.first()
    return found.participant if found else None


def remember(*, participant: Participant, arrival: Arrival) -> Participant:
    """Keep the external id; of two arrivals at once with the same id the second becomes the first."""
    digest = digest_of(participant.trial, arrival)
    try:
        with transaction.atomic():
            Identity.objects.create(
                participant=participant,
                trial=participant.trial,
                panel=arrival.panel,
                digest=digest,
                external_id=arrival.external_id,
                parameters=dict(arrival.parameters),
            )
    except IntegrityError:
        participant.delete()
        return Identity.objects.select_related("participant").get(trial=participant.trial, digest=digest).participant
    return participant


def refresh_visit(*, participant: Participant, arrival: Arrival) -> None:
    """The same person in another visit: the way back leads to the newest. Whoever was forgotten stays so."""
    known = Identity.objects.filter(participant=participant, trial=participant.trial).exclude(external_id="")
    known.update(parameters=dict(arrival.parameters))


def has_ids(trial: Trial) -> bool:
    """Whether a panel has sent somebody already: another panel would not know these people again."""
    return Identity.objects.filter(trial=trial).exists()


def visit_of(participant: Participant) -> dict[str, str]:
    """What the panel told about the visit, without who it was."""
    return Identity.objects.filter(participant=participant).values_list("parameters", flat=True).first() or {}


def payees(trial: Trial) -> dict[int, str]:
    """Participant -> external id, for the list that a panel is paid by, and for nothing else."""
    ids = dict(Identity.objects.filter(trial=trial).values_list("participant_id", "external_id"))
    sittings = Participant.objects.filter(trial=trial, first__in=ids).values_list("pk", "first")
    return ids | {sitting: ids[first] for sitting, first in sittings if first}


def drop_kept_too_long() -> int:
    """Delete every external id of trials that closed longer ago than they said; how many.

    Answers stay under random codes. Nobody can enter a closed trial, so no id is needed to know somebody again.
    """
    closed = Trial.objects.filter(state__in=(TrialState.CLOSED, TrialState.ARCHIVED))
    closed = closed.annotate(closed_at=Max("events__at", filter=Q(events__kind=TrialState.CLOSED)))
    return sum(_drop(trial) for trial in closed.filter(identities__isnull=False).distinct())


@transaction.atomic
def _drop(trial: Any) -> int:
    if timezone.now() - (trial.closed_at or trial.created_at) < timedelta(days=trial.retention_days):
        return 0
    dropped, _ = Identity.objects.filter(trial=trial).delete()
    TrialEvent.objects.create(trial=trial, kind="ids dropped", note=f"{dropped} panel ids, as promised")
    return dropped


def forget(*, participant: Participant) -> None:
    """Erase what the panel told; the digest stays, so that the same person is not asked again."""
    Identity.objects.filter(participant=participant).update(external_id="", parameters={})
