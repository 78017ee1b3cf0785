"""How a run is divided among workers: leased shards of cells (item × seed)."""

from django.db import models

from benchmarks.leasing import Leased
from benchmarks.models import Item


class ShardState(models.TextChoices):
    OPEN = "open"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"


class Shard(Leased):
    """A part of a run that one worker holds at a time."""

    WAITS, HELD = ShardState.OPEN, ShardState.LEASED

    run = models.ForeignKey("evaluation.Run", on_delete=models.CASCADE, related_name="shards")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=ShardState.choices, default=ShardState.OPEN)
    holder = models.CharField(max_length=80, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    # Counted once, when the shard is done: a page need not count a hundred thousand cells.
    answered = models.PositiveSmallIntegerField(default=0)
    failed = models.PositiveSmallIntegerField(default=0)
    problems = models.JSONField(default=dict, blank=True)  # {"unread": 3}

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_shard_a_number")]
        indexes = [models.Index(fields=["state", "lease_until"], name="shards_to_take")]

    def __str__(self) -> str:
        return f"shard {self.number} of run {self.run_id}"


class CellState(models.TextChoices):
    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"


class Cell(models.Model):
    """One item asked once with one seed."""

    run = models.ForeignKey("evaluation.Run", on_delete=models.CASCADE, related_name="cells")
    shard = models.ForeignKey(Shard, null=True, on_delete=models.CASCADE, related_name="cells")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="cells")
    seed = models.IntegerField(default=0)
    state = models.CharField(max_length=8, choices=CellState.choices, default=CellState.OPEN)
    reason = models.CharField(max_length=300, blank=True)
    is_lasting = models.BooleanField(default=False, db_default=False)  # asked again it would fail again

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "item", "seed"], name="one_cell_a_question")]
        indexes = [models.Index(fields=["run", "state"], name="cells_by_state")]

    def __str__(self) -> str:
        return f"cell {self.pk}"
