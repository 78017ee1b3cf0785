"""Human studies: a trial has sheets made of slots; a participant holds one sheet at a time and leaves judgments."""

from humantrials.models.answers import Answered, AttentionAnswer, Judgment, PilotAnswer
from humantrials.models.people import Identity, Participant, ParticipantKind, ParticipantState, PayEntry, PayKind
from humantrials.models.sheets import Holding, Sheet, SheetEvent, SheetState, Slot
from humantrials.models.trials import AppendOnlyQuerySet, Event, Trial, TrialEvent, TrialState

__all__ = [
    "Answered",
    "AppendOnlyQuerySet",
    "AttentionAnswer",
    "Event",
    "Holding",
    "Identity",
    "Judgment",
    "Participant",
    "ParticipantKind",
    "ParticipantState",
    "PayEntry",
    "PayKind",
    "PilotAnswer",
    "Sheet",
    "SheetEvent",
    "SheetState",
    "Slot",
    "Trial",
    "TrialEvent",
    "TrialState",
]
