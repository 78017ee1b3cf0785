"""Tables: models, runs split into leased shards of cells (item × seed), responses, readings and scores."""

from evaluation.models.model import Model, ModelRole, openness, role_of_kind
from evaluation.models.responses import Briefing, ModelResponse, Reading, Score, ScoreQuerySet
from evaluation.models.runs import (
    IDENTITY,
    REFEREED,
    REFERENCES,
    Cell,
    CellState,
    HiddenListing,
    Listing,
    Priority,
    Run,
    RunCode,
    RunKind,
    RunQuerySet,
    RunState,
    Shard,
    ShardState,
    Spent,
    SubmissionBadge,
    by_unknown_referees,
)
from evaluation.models.uploads import Upload, UploadFlag, UploadState

__all__ = [
    "IDENTITY", "REFEREED", "REFERENCES", "Briefing", "Cell", "CellState", "HiddenListing", "Listing", "Model",
    "ModelResponse", "ModelRole", "Priority", "Reading", "Run", "RunCode", "RunKind", "RunQuerySet", "RunState",
    "Score", "ScoreQuerySet", "Shard", "ShardState", "Spent", "SubmissionBadge", "Upload", "UploadFlag",
    "UploadState", "by_unknown_referees", "openness", "role_of_kind",
]  # fmt: skip
