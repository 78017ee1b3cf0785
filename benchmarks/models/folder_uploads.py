"""A benchmark's folder that a member of staff uploaded, from its arrival to its preview or import."""

from django.conf import settings
from django.db import models

from benchmarks.leasing import Leased


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

    @property
    def is_open(self) -> bool:
        return self.state != FolderState.ENDED
