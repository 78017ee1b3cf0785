"""Packs being made: their progress, and their batches for workers."""

from django.conf import settings
from django.db import models

from benchmarks.leasing import Leased


class ProductionState(models.TextChoices):
    WAITING = "waiting"
    MAKING = "making"
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"


class Production(models.Model):
    """A pack being made; pages show its progress."""

    ENDED = (ProductionState.DONE, ProductionState.FAILED)

    benchmark = models.SlugField(max_length=40)
    pack_name = models.SlugField(max_length=60)
    state = models.CharField(max_length=12, choices=ProductionState.choices, default=ProductionState.WAITING)
    note = models.CharField(max_length=200, blank=True)
    clips_done = models.PositiveIntegerField(default=0)
    clips_total = models.PositiveIntegerField(default=0)
    # What was queued: see `benchmarks.generation.generate.ProductionOrder`.
    order = models.JSONField(default=dict, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["benchmark", "pack_name"], name="one_production_a_pack")]
        verbose_name, verbose_name_plural = "import", "imports"

    def __str__(self) -> str:
        return f"{self.benchmark}/{self.pack_name}: {self.state}"

    @property
    def is_open(self) -> bool:
        return self.state not in self.ENDED


class ProductionBatch(models.Model):
    """A few clips of a queued production, made by one worker; `clips_done` only serves the progress display."""

    production = models.ForeignKey(Production, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    clips_done = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["production", "number"], name="one_batch_a_number")]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.production_id}"


class FolderState(models.TextChoices):
    WAITING = "waiting"
    READING = "reading"
    ENDED = "ended"


class FolderUpload(Leased):
    """The last ZIP of one member of staff; it stays stored until its import, or until another takes its place."""

    WAITS, HELD = FolderState.WAITING, FolderState.READING

    # Without an owner, whose account was deleted, the sweep deletes the row with its file.
    owner = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    key = models.CharField(max_length=32, unique=True)  # names the stored file
    name = models.CharField(max_length=200)  # of the file, as the sender gave it
    imports = models.BooleanField(default=False)  # False: it is only checked
    state = models.CharField(max_length=8, choices=FolderState.choices, default=FolderState.WAITING)
    clips_done = models.PositiveIntegerField(default=0)
    clips_total = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    # JSON as text, since no database stores a NUL in JSON: see gallery/folder_queue.py.
    result = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"folder {self.pk}: {self.state}"
