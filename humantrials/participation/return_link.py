"""How a participant returns to their panel: the code to show, and the link or form that leads back."""

from typing import Any

from humantrials.identities import visit_of
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial
from humantrials.panels import find_panel
from humantrials.panels.arrival import DECLINED, FINISHED, FULL, STOPPED

OUTCOME = {
    ParticipantState.ARRIVED: FULL,
    ParticipantState.DECLINED: DECLINED,
    ParticipantState.STOPPED: STOPPED,
    ParticipantState.WITHDRAWN: STOPPED,
    ParticipantState.SCREENED: STOPPED,
    ParticipantState.FINISHED: FINISHED,
    ParticipantState.EXCLUDED: FINISHED,
}


def setup_of(trial: Trial) -> dict[str, Any]:
    return {**trial.settings, **trial.panel_settings}


def homecoming(person: Participant, *, leaves_now: bool = False) -> dict[str, Any]:
    """Context of the last page, `code` and `way_back`; empty before the end, and for previews and pilots.

    With `leaves_now` also of somebody who may come back later, as if they stopped now.
    """
    outcome = FINISHED if person.repair_at else OUTCOME.get(ParticipantState(person.state))
    if outcome is None and leaves_now and person.completion_code:
        outcome = STOPPED
    if person.state == ParticipantState.EXCLUDED and not (person.finished_at or person.repair_at):
        outcome = STOPPED
    if outcome is None or person.kind in (ParticipantKind.PREVIEW, ParticipantKind.PILOT):
        return {}
    panel, setup, own = find_panel(person.trial.panel), setup_of(person.trial), person.completion_code
    return {"code": panel.code(setup, outcome, own), "way_back": panel.way_back(setup, outcome, own, visit_of(person))}
