"""Decisions about a trial that were fixed before people could enter or before answers were known."""

from django.db import models

from humantrials.models.trials import Trial


class Preregistration(models.Model):
    """Design, sample, exclusions and analysis of a trial as they were when it was first opened; never changed."""

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="preregistration")
    content = models.JSONField()
    digest = models.CharField(max_length=64)  # SHA-256 of the content's canonical JSON
    frozen_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest[:12]


class SecondRound(models.Model):
    """How many further answers each item gets, drawn once when the first round was complete; never changed."""

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="second_round")
    sizes = models.JSONField()  # draw key of the item -> further answers
    first_sheet = models.PositiveIntegerField()  # the order of its first sheet
    design_hash = models.CharField(max_length=64)
    drawn_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.design_hash[:12]
