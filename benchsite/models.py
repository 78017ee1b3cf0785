"""Tables about the installation as a whole."""

from datetime import datetime

from django.db import models

SILENT = 40.0  # seconds without a heartbeat after which a process counts as ill


class Heartbeat(models.Model):
    """A process of the site at its last heartbeat (benchsite/logs/heartbeats.py); not part of backups."""

    name = models.CharField(max_length=60)  # as `serve` names it, or the worker's node
    kind = models.CharField(max_length=20)
    host = models.CharField(max_length=100)
    pid = models.PositiveIntegerField()
    version = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    has_ended = models.BooleanField(default=False)  # on purpose, at `seen_at`
    now: datetime  # the database's time when `heartbeats.signs` read the row

    class Meta:
        constraints = [models.UniqueConstraint(fields=["host", "pid"], name="one_heartbeat_a_process")]

    def __str__(self) -> str:
        return f"{self.name} on {self.host}"

    @property
    def silence(self) -> float:
        """Seconds since the heartbeat."""
        return max(0.0, (self.now - self.seen_at).total_seconds())

    @property
    def is_ill(self) -> bool:
        return self.silence > SILENT

    @property
    def hours_up(self) -> float:
        return max(0.0, (self.now - self.started_at).total_seconds() / 3600)
