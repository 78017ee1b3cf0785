"""Records of the server about each answer, as columns of exports: name -> (meaning, value).

One place for all exporters, whose codebooks print the meanings.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from humantrials.assignment.viewing_evidence import doubts_of, first_requests, has_evidence
from humantrials.judging.answer_flags import flags_of
from humantrials.models import Judgment, Trial

Column = tuple[str, Callable[[Judgment], Any]]
REQUESTED_AT, SINCE_REQUEST = "clip_requested_at", "seconds_since_request"
MOMENT = "%Y-%m-%dT%H:%M:%S.%fZ"


def evidence_columns(trial: Trial) -> dict[str, Column]:
    """The columns of this trial; reads requests and flags of the whole trial once."""
    return {**(_of_viewing(trial) if has_evidence(trial) else {}), **_of_people(trial)}


def _of_viewing(trial: Trial) -> dict[str, Column]:
    of_clip = first_requests(trial)
    doubts = {pk: why for own in doubts_of(trial).values() for pk, why in own.items()}

    def requested(judgment: Judgment) -> tuple[float, float, float] | None:
        return of_clip.get((judgment.participant_id, judgment.item_id))

    def at(judgment: Judgment) -> str | None:
        found = requested(judgment)
        return datetime.fromtimestamp(found[0], UTC).strftime(MOMENT) if found else None

    def since(judgment: Judgment) -> float | None:
        found = requested(judgment)
        return round(judgment.created_at.timestamp() - found[0], 3) if found else None

    def share(judgment: Judgment) -> float | None:
        found = requested(judgment)
        return round(min(1.0, found[2]), 3) if found else None

    return {
        REQUESTED_AT: ("when its clip was first requested, UTC; of several clips or pictures the first", at),
        SINCE_REQUEST: ("from that request to the arrival of the answer", since),
        "clip_share_requested": ("share of the clip's file that was requested, of several the lowest", share),
        "doubt": (
            "why the answer can't count: nothing was presented; empty = no doubt",
            lambda one: doubts.get(one.pk),
        ),
    }


def _of_people(trial: Trial) -> dict[str, Column]:
    flags = {person: " ".join(flag.name for flag in own) for person, own in flags_of(trial).items()}
    return {
        "person_flags": ("flags of the person (docs/trials.md)", lambda one: flags.get(one.participant_id, "")),
        "heartbeats": ("heartbeats of the person's page, one in 20 s in view", lambda one: one.participant.beats),
    }
