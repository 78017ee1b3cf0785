"""What people said right after their answers, as columns of exports: name -> (meaning, value)."""

from humantrials.models import Judgment, Trial
from humantrials.protocols.scales import scale_of
from humantrials.results.evidence_columns import Column
from humantrials.studies.follow_ups import follow_ups_by

REASON = "why"  # free text


def follow_up_columns(trial: Trial) -> dict[str, Column]:
    """The columns of what this trial asks; reads all of it once."""
    scale, asks_why = scale_of(trial.settings), bool(trial.settings.get("why"))
    if not (scale or asks_why):
        return {}
    found = follow_ups_by(trial.participants.values_list("pk", flat=True))

    def follow_up(name: str, judgment: Judgment) -> float | str | None:
        return getattr(found.get((judgment.participant_id, judgment.slot.position)), name, None)

    columns: dict[str, Column] = {}
    if scale:
        meaning = f"how sure the person was, {scale.words}; empty = did not say"
        columns["confidence"] = (meaning, lambda one: follow_up("confidence", one))
    if asks_why:
        columns[REASON] = ("the person's reason; empty = none, or not asked", lambda one: follow_up("why", one))
    columns["follow_up_seconds"] = ("how long the person took to say so", lambda one: follow_up("seconds", one))
    return columns
