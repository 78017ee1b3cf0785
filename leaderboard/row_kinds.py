"""Kinds of rows: whose figures they are, and what follows from it. No other module compares a kind with a value."""

from django.db import models

from benchmarks.words import ROW_KINDS


class RowKind(models.TextChoices):
    """Where a row's figures come from, in the order of boards; rows of papers are not stored as standings."""

    HUMAN = "human"
    SIMULATED = "simulated"
    RUN = "run"
    UPLOADED = "uploaded"
    PUBLISHED = "published"

    @property
    def words(self) -> str:
        return ROW_KINDS[self]

    @property
    def badge(self) -> str:
        """The look of the badge that says where its figures come from."""
        return BADGES[self]

    @property
    def is_ours(self) -> bool:
        """Whether this site scored the answers; else a paper prints the figures."""
        return self is not RowKind.PUBLISHED

    @property
    def of_people(self) -> bool:
        """Whether it is a study of this site, with people or simulated people."""
        return self in PEOPLE

    @property
    def is_simulated(self) -> bool:
        return self is RowKind.SIMULATED

    @property
    def is_measured_people(self) -> bool:
        """Whether real people answered here: models are compared with them."""
        return self is RowKind.HUMAN

    @property
    def is_ranked(self) -> bool:
        """Whether it is a model's row with ranks."""
        return self in MODELS

    @property
    def is_evaluated(self) -> bool:
        """Whether this site ran the model itself."""
        return self is RowKind.RUN

    @property
    def is_uploaded(self) -> bool:
        return self is RowKind.UPLOADED

    @property
    def is_hollow(self) -> bool:
        """Whether its mark is hollow: others made the answers."""
        return self in (RowKind.UPLOADED, RowKind.PUBLISHED)


BADGES = {
    RowKind.HUMAN: "measured",
    RowKind.SIMULATED: "simulated",
    RowKind.RUN: "measured",
    RowKind.UPLOADED: "uploaded",
    RowKind.PUBLISHED: "reported",
}
PEOPLE = (RowKind.HUMAN, RowKind.SIMULATED)
MODELS = (RowKind.RUN, RowKind.UPLOADED)
OURS = (*PEOPLE, *MODELS)
OF_STANDINGS = [(kind.value, kind.label) for kind in (*MODELS, *PEOPLE)]
