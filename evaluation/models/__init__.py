"""Models and what they said: a run has cells (item × seed) in leased shards; a reply is kept, readings are rows."""

from evaluation.models.answerers import Model
from evaluation.models.replies import Briefing, ModelResponse, Reading, Score, ScoreQuerySet
from evaluation.models.runs import (
    IDENTITY,
    REFEREED,
    REFERENCES,
    Listing,
    Mark,
    Priority,
    Run,
    RunCode,
    RunKind,
    RunQuerySet,
    RunState,
    Spent,
)
from evaluation.models.shards import Cell, CellState, Shard, ShardState
from evaluation.uploads import Upload, UploadState

__all__ = [
    "IDENTITY",
    "REFEREED",
    "REFERENCES",
    "Briefing",
    "Cell",
    "CellState",
    "Listing",
    "Mark",
    "Model",
    "ModelResponse",
    "Priority",
    "Reading",
    "Run",
    "RunCode",
    "RunKind",
    "RunQuerySet",
    "RunState",
    "Score",
    "ScoreQuerySet",
    "Shard",
    "ShardState",
    "Spent",
    "Upload",
    "UploadState",
]
