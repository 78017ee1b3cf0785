"""The only table with the ids that panels use for participants."""

from django.db import models

from humantrials.models.participants import Participant
from humantrials.models.trials import Trial


class Identity(models.Model):
    """An external id, keyed by HMAC; only identities.py reads and writes it."""

    participant = models.OneToOneField(Participant, on_delete=models.CASCADE, related_name="identity")
    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="identities")
    panel = models.CharField(max_length=20)
    digest = models.CharField(max_length=64)
    external_id = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["trial", "digest"], name="one_entry_a_person")]
        verbose_name_plural = "identities"

    def __str__(self) -> str:
        return self.digest[:12]
