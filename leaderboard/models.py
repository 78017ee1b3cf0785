"""What the board keeps: standings computed when answers change, never per view."""

from typing import Any

from django.db import models
from django.urls import reverse
from django.utils import timezone

from benchmarks.models import Pack
from evaluation.models import Run
from humantrials.models import Trial


class RowKind(models.TextChoices):
    RUN = "run"
    UPLOADED = "uploaded"
    HUMAN = "human"
    SIMULATED = "simulated"


class StandingQuerySet(models.QuerySet["Standing"]):
    def touch(self, **shown: Any) -> None:
        """Their time is now, with what else is shown of them: whoever keeps pages by it draws them anew."""
        self.update(computed_at=timezone.now(), **shown)


class Standing(models.Model):
    """One row of one board: a run or a trial on the items of one split. Cells are shares 0 to 1."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="standings")
    kind = models.CharField(max_length=10, choices=RowKind.choices)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.CASCADE, related_name="standings")
    trial = models.ForeignKey(Trial, null=True, blank=True, on_delete=models.CASCADE, related_name="standings")
    name = models.CharField(max_length=120)
    revision = models.CharField(max_length=64, blank=True)
    split = models.CharField(max_length=20)
    strategy = models.CharField(max_length=40)
    condition = models.CharField(max_length=20)
    identity = models.CharField(max_length=64)
    cells = models.JSONField(default=dict)  # facet -> value -> {"score", "n", "low", "high", "unread", …}
    overall = models.JSONField(default=dict)
    source_version = models.PositiveIntegerField()  # answers_version that it was computed from
    computed_at = models.DateTimeField(auto_now=True)

    objects = StandingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "split"], name="one_standing_a_run", condition=models.Q(run__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["trial", "split", "condition"],
                name="one_standing_a_trial",
                condition=models.Q(trial__isnull=False),
            ),
            models.CheckConstraint(
                condition=models.Q(run__isnull=False, trial=None) | models.Q(run=None, trial__isnull=False),
                name="a_run_or_a_trial",
            ),
        ]
        indexes = [
            models.Index(fields=["pack", "split", "strategy", "condition"], name="standings_of_a_board"),
            # Every request for a board asks for the latest time: from here, past rows of many kilobytes.
            models.Index(fields=["pack", "computed_at"], name="standings_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.name} on {self.pack}"


class Extremes(models.Model):
    """The lowest and the highest score that a run got for each of its items, whatever their split, packed."""

    standing = models.OneToOneField(Standing, on_delete=models.CASCADE, primary_key=True)  # on the run's own split
    packed = models.BinaryField()  # leaderboard/dividing.py reads and writes it

    def __str__(self) -> str:
        return f"scores by item of {self.standing_id}"


class Comparison(models.Model):
    """Two rows of one pack, paired by the items that both answered."""

    first = models.ForeignKey(Standing, on_delete=models.CASCADE, related_name="comparisons_as_first")
    second = models.ForeignKey(Standing, on_delete=models.CASCADE, related_name="comparisons_as_second")
    n = models.PositiveIntegerField()
    difference = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    p = models.FloatField(null=True)
    test = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["first", "second"], name="one_comparison_a_pair")]

    def __str__(self) -> str:
        return f"{self.first_id} against {self.second_id}"


class Snapshot(models.Model):
    """A board frozen under a citable id: its table, the per-item data and their hashes."""

    slug = models.SlugField(max_length=60, unique=True)
    benchmark = models.SlugField(max_length=40)
    content = models.JSONField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return reverse("snapshot", args=[self.slug])
