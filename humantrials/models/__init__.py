"""Human studies: a trial has sheets made of slots; a participant holds one sheet at a time and leaves judgments."""

import humantrials.models.identity  # noqa: F401  # the table, which only humantrials.identities opens
from humantrials.models.answers import Answered, AttentionAnswer, ClipFetch, FollowUp, Judgment, PilotAnswer
from humantrials.models.participants import Participant, ParticipantKind, ParticipantState, PayEntry, PayKind
from humantrials.models.sheets import Holding, Sheet, SheetEvent, SheetEventKind, SheetState, Slot
from humantrials.models.texts import AuthoredText, Preregistration, QuestionnaireAnswer, SecondRound, TextPart
from humantrials.models.trials import OVER, RUNNING, AppendOnlyQuerySet, Event, Trial, TrialEvent, TrialState

__all__ = [
    "OVER",
    "RUNNING",
    "Answered",
    "AppendOnlyQuerySet",
    "AttentionAnswer",
    "AuthoredText",
    "ClipFetch",
    "Event",
    "FollowUp",
    "Holding",
    "Judgment",
    "Participant",
    "ParticipantKind",
    "ParticipantState",
    "PayEntry",
    "PayKind",
    "PilotAnswer",
    "Preregistration",
    "QuestionnaireAnswer",
    "SecondRound",
    "Sheet",
    "SheetEvent",
    "SheetEventKind",
    "SheetState",
    "Slot",
    "TextPart",
    "Trial",
    "TrialEvent",
    "TrialState",
]
