"""A participant says that something is wrong with a clip. The sheet's events keep it, and no event names a person."""

from humantrials.leases import note
from humantrials.models import Participant, ParticipantState
from humantrials.road import is_apart


def report_problem(*, participant: Participant, position: str) -> None:
    """Note it once for each clip and holder."""
    sheet, kind = participant.sheet, f"problem at {position}"
    if sheet is None or is_apart(participant) or participant.state != ParticipantState.CONSENTED:
        return
    is_theirs = position.isdecimal() and len(position) < 6 and sheet.slots.filter(position=int(position)).exists()
    if is_theirs and not sheet.events.filter(epoch=participant.epoch, kind=kind).exists():
        note(sheet, participant.epoch, kind)
