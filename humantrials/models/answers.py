"""Answers to slots, to attention items and of pilots, and the answers to follow-up questions."""

from django.db import models
from django.db.models import Q

from benchmarks.models import Item, Response
from humantrials.models.participants import Participant
from humantrials.models.sheets import Slot
from humantrials.models.trials import Trial


class Answered(Response):
    """The fields that a page records with an answer (protocols/trial_types.py)."""

    answer = models.CharField(max_length=200)
    seconds = models.FloatField(null=True, blank=True)  # from the first presented frame to the answer
    replays = models.PositiveSmallIntegerField(default=0)
    watched = models.FloatField(null=True, blank=True)  # share of the clip that was played
    playback = models.JSONField(default=dict, blank=True)  # stalls, focus losses, dropped frames, flags

    class Meta:
        abstract = True


class Judgment(Answered):
    """A participant's answer to one slot. At most one a slot counts; the others are surplus, stored and paid."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="judgments")
    slot = models.ForeignKey(Slot, on_delete=models.PROTECT, related_name="judgments")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="judgments")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judgments")
    epoch = models.PositiveIntegerField()
    counts = models.BooleanField(default=False)
    is_surplus = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slot"], name="one_counted_judgment", condition=Q(counts=True)),
            models.UniqueConstraint(fields=["participant", "item"], name="one_item_once_a_person"),
            models.CheckConstraint(condition=~Q(counts=True, is_surplus=True), name="counted_or_surplus"),
        ]

    def __str__(self) -> str:
        return f"judgment {self.pk}"


class ClipFetch(models.Model):
    """When a participant first asked for a clip, whole or by range."""

    participant = models.ForeignKey(
        Participant, on_delete=models.CASCADE, related_name="clip_fetches", db_index=False
    )  # the constraint's index begins with it
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    place = models.PositiveSmallIntegerField(default=0)  # of one of several clips
    at = models.DateTimeField(auto_now_add=True)
    share = models.FloatField()  # of the file, requested so far by range

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "item", "place"], name="one_first_fetch")]

    def __str__(self) -> str:
        return f"fetch {self.pk}"


class PilotAnswer(Answered):
    """An answer of a pilot, in its own table so that no slot, vote or export can include it.

    A task of an annotation stage has no item and no short answer: its `raw` holds the parts sent so far, as JSON.
    """

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="pilot_answers")
    item = models.ForeignKey(Item, null=True, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["participant", "position"]
        constraints = [models.UniqueConstraint(fields=["participant", "position"], name="one_pilot_answer")]

    def __str__(self) -> str:
        return f"pilot answer {self.pk}"


class AttentionAnswer(Answered):
    """An answer to an attention item, in its own table like a pilot's."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="attention_answers")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["participant", "position"]
        constraints = [models.UniqueConstraint(fields=["participant", "position"], name="one_attention_answer")]

    def __str__(self) -> str:
        return f"attention answer {self.pk}"


class FollowUp(models.Model):
    """A participant's confidence and reason right after an answer. The answer is complete without them."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="follow_ups", db_index=False)
    position = models.PositiveSmallIntegerField()  # of the answer on the sheet
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)  # step of the trial's scale, from 1
    why = models.TextField(null=True, blank=True)  # None = not asked, "" = left empty
    seconds = models.FloatField(null=True, blank=True)  # from the moment the questions could be read
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "position"], name="one_follow_up_an_answer")]

    def __str__(self) -> str:
        return f"follow-up {self.pk}"
