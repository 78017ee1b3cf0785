"""Material for annotation, and the tasks of annotation studies with what they lead to."""

from extensions.annotation.models.material import FileState, Material, MaterialClip, MaterialDecision, MaterialFile
from extensions.annotation.models.tasks import (
    AnnotationObject,
    AnnotationPair,
    Candidate,
    CandidateOrigin,
    CandidateState,
    ObjectState,
    QualificationRound,
    QuestionState,
    RoundState,
    Stage,
    Task,
    TaskAnswer,
    WrittenQuestion,
)

__all__ = [
    "AnnotationObject",
    "AnnotationPair",
    "Candidate",
    "CandidateOrigin",
    "CandidateState",
    "FileState",
    "Material",
    "MaterialClip",
    "MaterialDecision",
    "MaterialFile",
    "ObjectState",
    "QualificationRound",
    "QuestionState",
    "RoundState",
    "Stage",
    "Task",
    "TaskAnswer",
    "WrittenQuestion",
]
