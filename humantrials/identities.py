"""Who a participant is: the one place that reads what a link says of somebody, and the table with the panels' ids.

The rest of the site knows people by random codes.
"""

import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q

from benchmarks import leasing
from benchmarks.models import Key
from humantrials.assignment.prepared_queries import ONE, WORD, PreparedInsert, PreparedQuery
from humantrials.models import OVER, Participant, ParticipantKind, Trial, TrialState
from humantrials.models.identity import Identity
from humantrials.panels import PANELS
from humantrials.panels.arrival import Arrival, NotLetIn
from humantrials.panels.generic import read_arrival
from humantrials.panels.panel import plain

KNOWN = PreparedQuery(lambda: Identity.objects.filter(trial=ONE, digest=WORD).select_related("participant"), ONE, WORD)
VISIT = PreparedQuery(lambda: Identity.objects.filter(participant=ONE), ONE)
INSERT = PreparedInsert(Identity)
BY_TOKEN = PreparedQuery(lambda: Participant.objects.filter(token=WORD).select_related("trial"), WORD)
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
SIMULATOR_HEADER = "X-Benchsite-Simulator"
OF_ONE_TRIAL = "invited"  # panel whose ids mean somebody else in every trial


@dataclass(frozen=True)
class AtTheDoor:
    """What a request at the door of a study brings."""

    parameters: Mapping[str, str] = field(default_factory=dict)  # of the link
    host: str = ""  # our own name, which a signature is meant for
    signature: str = ""  # of this site's simulator
    proof: str = ""  # the key of somebody's own address, or a receipt code; only a press sends one
    wants_in: bool = False  # the consent was answered


@dataclass(frozen=True)
class Comer:
    """Somebody at the door: new, or not saying otherwise, but for the last two fields."""

    arrival: Arrival
    kind: str = ParticipantKind.PERSON
    person: Participant | None = None  # somebody who has begun, and proves it
    needs_code: bool = False  # somebody has begun with this id, and nothing proves that it was the same person


def who_comes(trial: Trial, arrived: AtTheDoor) -> Comer:
    """Who is at the door of the study; raises NotLetIn if the link admits nobody. Writes nothing.

    An id alone finds nobody: a signed link or an invitation does, the key of the own address, or the receipt code.
    """
    is_simulated = is_simulator(trial.slug, arrived.signature)
    if arrived.signature and not is_simulated:
        raise NotLetIn("no simulator")
    read = read_arrival if is_simulated else PANELS[trial.panel].read
    arrival = read(arrived.parameters, setup_of(trial), arrived.host)
    person = _vouched_for(trial, arrival) or _proven(trial, arrived.proof)
    needs_code = arrived.wants_in and person is None and known_participant(trial, arrival) is not None
    return Comer(arrival, ParticipantKind.SIMULATED if is_simulated else ParticipantKind.PERSON, person, needs_code)


def setup_of(trial: Trial) -> dict[str, Any]:
    """The settings of the study and of its panel."""
    return {**trial.settings, **trial.panel_settings}


def note_unfilled_link(*, trial: Trial) -> None:
    """Count a visitor whose panel did not replace the placeholder of an id; nothing tells who it was."""
    Trial.objects.filter(pk=trial.pk).update(unfilled_links=F("unfilled_links") + 1)


def _vouched_for(trial: Trial, arrival: Arrival) -> Participant | None:
    """The participant whom the link itself proves: by an invitation or a signature."""
    return known_participant(trial, arrival) if arrival.is_vouched and has_ids(trial) else None


def _proven(trial: Trial, proof: str) -> Participant | None:
    person = participant_of(proof) if TOKEN.fullmatch(proof) else participant_of_receipt(proof)
    return person if person and person.trial_id == trial.pk else None


def participant_of(token: str) -> Participant | None:
    """The participant of the token, with their trial."""
    return next(iter(BY_TOKEN.models(token)), None)


def participant_of_receipt(typed: str) -> Participant | None:
    """The participant with this receipt code; case, hyphens and spaces are ignored."""
    letters = "".join(letter for letter in typed.upper() if letter.isalnum())[:40]
    code = "-".join(letters[start : start + 5] for start in range(0, len(letters), 5))
    return Participant.objects.select_related("trial").filter(receipt_code=code).first() if code else None


def simulator_signature(slug: str) -> str:
    """The signature of this site's simulator; without it nobody can mark a trial as simulated."""
    return _hash_with(Key.secret_of("simulator"), slug)


def _hash_with(key: bytes, message: str) -> str:
    return hmac.digest(key, message.encode(), "sha256").hex()


def is_simulator(slug: str, signature: str) -> bool:
    """Whether this site's simulator signed; a request without a signature never is, whatever header it has."""
    if not signature or not Key.objects.filter(name="simulator").exists():
        return False
    return hmac.compare_digest(simulator_signature(slug).encode(), signature.encode(errors="replace"))


def canonical(external_id: str) -> str:
    """The one form of an id by which people are told apart; Prolific's have lower-case letters anyway."""
    return plain(plain(external_id).casefold())


def person_named(visit: Arrival | Identity) -> str:
    """Whom the id of a visit names, within one trial; however it is spelt, but by each panel for itself."""
    return f"{visit.panel}\n{canonical(visit.external_id)}"


def person_known(visit: Arrival | Identity) -> str:
    """Whom the id of a visit names in all trials; '' without an id, and with an invitation's number."""
    return person_named(visit) if visit.external_id and visit.panel != OF_ONE_TRIAL else ""


def same_person(first: Identity, second: Identity) -> bool:
    """Whether two visits are one person's, as far as their panels' ids tell."""
    if first.trial_id == second.trial_id:
        return first.digest == second.digest
    return bool(person_known(first)) and person_known(first) == person_known(second)


def digest_of(trial: Trial, arrival: Arrival) -> str:
    """Return the keyed hash of one person in one trial; without this site's key it can't be computed from the id."""
    return _hash_with(Key.secret_of("identities"), f"{trial.pk}\n{person_named(arrival)}")


def qualification(slug: str, external_id: str) -> str:
    """Return the keyed hash that a trial's list of qualified people holds instead of the id."""
    return _hash_with(Key.secret_of("identities"), f"qualified\n{slug}\n{canonical(external_id)}")[:32]


def is_qualified(trial: Trial, arrival: Arrival) -> bool:
    names = trial.settings.get("qualified", ())
    return bool(names) and qualification(trial.slug, arrival.external_id) in names


def known_participant(trial: Trial, arrival: Arrival) -> Participant | None:
    """The participant who arrived with this external id before, whatever the other parameters were."""
    if not arrival.external_id:
        return None
    return next((model.participant for model in KNOWN.models(trial.pk, digest_of(trial, arrival))), None)


def remember(*, participant: Participant, arrival: Arrival) -> None:
    """Store the external id; of two simultaneous arrivals with one id, the second is not let in."""
    identity = Identity(
        participant=participant,
        trial=participant.trial,
        panel=arrival.panel,
        digest=digest_of(participant.trial, arrival),
        external_id=arrival.external_id,
        parameters=dict(arrival.parameters),
    )
    try:
        with transaction.atomic():
            INSERT.store(identity)
    except IntegrityError:
        raise NotLetIn("begun") from None


def salted_ids(trial: Trial) -> dict[int, str]:
    """Participant -> a name that is the same in all trials of this site, while the panel's id is stored.

    Without this site's key it can't be computed from the id. Visits without an id have no name, nor do invitations:
    their numbers identify nobody beyond one trial.
    """
    key = Key.secret_of("identities")
    names = {visit.participant_id: person_known(visit) for visit in Identity.objects.filter(trial=trial)}
    salted = {person: _hash_with(key, f"person\n{name}")[:16] for person, name in names.items() if name}
    return _with_sittings(trial, salted)


def other_trials(participant: Participant) -> list[str]:
    """The names of other trials that the same person of the same panel entered, while the ids are stored."""
    own = Identity.objects.filter(participant=participant.first or participant).first()
    if own is None:
        return []
    others = Identity.objects.filter(panel=own.panel).exclude(trial=own.trial).select_related("trial")
    return sorted(other.trial.slug for other in others if same_person(own, other))


def refresh_visit(*, participant: Participant, arrival: Arrival) -> None:
    """Store the parameters of a new visit of this id, which the return link then uses. Erased ids stay erased."""
    own = {"participant": participant, "digest": digest_of(participant.trial, arrival)}
    Identity.objects.filter(**own).exclude(external_id="").update(parameters=dict(arrival.parameters))


def has_ids(trial: Trial) -> bool:
    """Whether the panel has sent anybody yet: another panel could not recognise these people."""
    return Identity.objects.filter(trial=trial).exists()


def visit_of(participant: Participant) -> dict[str, str]:
    """The panel's parameters of the visit, without the external id."""
    return next((model.parameters for model in VISIT.models(participant.first_id or participant.pk)), {})


def sessions_of(trial: Trial) -> dict[int, str]:
    """The panel's sessions by participant, without those who have none."""
    found = Identity.objects.filter(trial=trial).values_list("participant_id", "parameters__session_id")
    return _with_sittings(trial, {person: session for person, session in found if session})


def payees(trial: Trial) -> dict[int, str]:
    """External ids by participant, only for the panel's payment list."""
    return _with_sittings(
        trial, dict(Identity.objects.filter(trial=trial).values_list("participant_id", "external_id"))
    )


def _with_sittings(trial: Trial, by_person: dict[int, str]) -> dict[int, str]:
    """The same for each later sitting of these people: only the first one has a row of the panel's."""
    sittings = Participant.objects.filter(trial=trial, first__in=by_person).values_list("pk", "first")
    return by_person | {sitting: by_person[first] for sitting, first in sittings if first}


def drop_expired() -> int:
    """Delete external ids and traces of trials that closed more than `retention_days` ago; return how many ids.

    Answers stay under random codes. Nobody can enter a closed trial, so nobody has to be recognised.
    """
    closed = Trial.objects.filter(state__in=OVER)
    closed = closed.annotate(closed_at=Max("events__at", filter=Q(events__kind=TrialState.CLOSED)))
    has_any = Q(identities__isnull=False) | Q(participants__traces__isnull=False)
    return sum(_drop(trial) for trial in closed.filter(has_any).distinct())


@transaction.atomic
def _drop(trial: Any) -> int:
    if leasing.database_now() - (trial.closed_at or trial.created_at) < timedelta(days=trial.retention_days):
        return 0
    dropped, _ = Identity.objects.filter(trial=trial).delete()
    Participant.objects.filter(trial=trial).update(traces=None)
    trial.events.create(kind="ids dropped", note=f"{dropped} panel ids, as promised")
    return dropped


def forget(*, participant: Participant) -> None:
    """Erase what the panel sent; the digest stays so that the same person can't take part again."""
    Identity.objects.filter(participant=participant).update(external_id="", parameters={})
