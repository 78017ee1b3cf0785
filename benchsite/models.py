"""Tables about the installation as a whole."""

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone


class Maintenance(models.Model):
    """The site is under maintenance as long as this row exists; there is at most one."""

    since = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField(null=True, blank=True)  # expected end; None = unknown
    note = models.CharField(max_length=200, blank=True)  # a sentence for readers

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_maintenance_at_a_time")]

    def __str__(self) -> str:
        return f"since {self.since:%Y-%m-%d %H:%M} UTC"


class Heartbeat(models.Model):
    """A process of the site at its last heartbeat (benchsite/observability/heartbeats.py); not part of backups."""

    name = models.CharField(max_length=60)  # as `serve` names it, or the worker's node
    kind = models.CharField(max_length=20)
    host = models.CharField(max_length=100)
    pid = models.PositiveIntegerField()
    queues = models.CharField(max_length=100, blank=True)
    version = models.CharField(max_length=40)
    last_task = models.CharField(max_length=100, blank=True)
    last_task_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["host", "pid"], name="one_heartbeat_a_process")]

    def __str__(self) -> str:
        return f"{self.name} on {self.host}"


class IncidentLetter(models.TextChoices):
    """The last letter to staff about a problem."""

    NONE = "none"
    OPEN = "open"
    OVER = "over"


class Incident(models.Model):
    """A present or recent problem (benchsite/observability/alerts.py); not part of backups."""

    name = models.CharField(max_length=200, unique=True)
    said = models.CharField(max_length=500)
    since = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    letter = models.CharField(max_length=10, choices=IncidentLetter.choices, default=IncidentLetter.NONE)
    written_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
