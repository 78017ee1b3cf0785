"""How a participant returns to their panel: the code to show, and the link or form that leads back."""

from collections.abc import Mapping
from typing import Any

from humantrials.identities import setup_of, visit_of
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial
from humantrials.panels import find_panel
from humantrials.panels.outcomes import DECLINED, FINISHED, PARTIAL, SCREENED, STOPPED

OUTCOME = {
    ParticipantState.DECLINED: DECLINED,
    ParticipantState.STOPPED: STOPPED,
    ParticipantState.WITHDRAWN: STOPPED,
    ParticipantState.SCREENED: SCREENED,
    ParticipantState.FINISHED: FINISHED,
    ParticipantState.EXCLUDED: STOPPED,
}


def return_context(person: Participant, *, leaves_now: bool = False) -> dict[str, Any]:
    """Context of the last page, `code` and `way_back`; empty before the end, and for previews and pilots.

    With `leaves_now`, also for somebody who may come back later, as if they stopped now.
    """
    outcome = _outcome(person)
    if outcome is None and leaves_now and person.own_code:
        outcome = STOPPED
    if outcome is None or person.kind in (ParticipantKind.PREVIEW, ParticipantKind.PILOT):
        return {}
    return way_out(person.trial, outcome, _own_code(person, outcome), visit_of(person))


def way_out(trial: Trial, outcome: str, own: str, visit: Mapping[str, str]) -> dict[str, Any]:
    """Context of a page that leads back to the panel; `own` is the person's code, "" for somebody who is not stored."""
    panel, setup = find_panel(trial.panel), setup_of(trial)
    return {"code": panel.code(setup, outcome, own), "way_back": panel.way_back(setup, outcome, own, visit)}


def _outcome(person: Participant) -> str | None:
    """How the visit ended, None before its end; a whole sheet stays one, whatever the person does later."""
    if person.finished_at:
        return FINISHED
    return PARTIAL if person.repair_at else OUTCOME.get(ParticipantState(person.state))


def _own_code(person: Participant, outcome: str) -> str:
    """The code of this outcome."""
    return person.completion_code if outcome == FINISHED else person.partial_code
