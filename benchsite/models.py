"""Tables about the installation as a whole."""

from django.db import models
from django.utils import timezone


class Maintenance(models.Model):
    """The site is under maintenance as long as this row, of which there is at most one, exists."""

    since = models.DateTimeField(default=timezone.now)
    until = models.DateTimeField(null=True, blank=True)  # expected end; None = unknown
    note = models.CharField(max_length=200, blank=True)  # a sentence for readers

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_maintenance_at_a_time")]

    def __str__(self) -> str:
        return f"since {self.since:%Y-%m-%d %H:%M} UTC"
