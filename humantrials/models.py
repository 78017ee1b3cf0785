"""Human studies: a trial has sheets made of slots; a participant holds one sheet at a time and leaves judgments."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse

from benchmarks.models import Item, Pack, Response


class TrialState(models.TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"
    ARCHIVED = "archived"


class Trial(models.Model):
    """One human study. One request from the simulator makes it simulated for ever."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    protocol = models.CharField(max_length=40)
    pack = models.ForeignKey(Pack, on_delete=models.PROTECT, related_name="trials")
    seed = models.PositiveIntegerField(default=0)
    settings = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=TrialState.choices, default=TrialState.DRAFT)
    is_simulated = models.BooleanField(default=False)
    design_hash = models.CharField(max_length=64, blank=True)
    practice = models.ForeignKey(Item, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    author = models.ForeignKey("accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="trials")
    panel = models.CharField(max_length=20, default="generic")
    panel_settings = models.JSONField(default=dict, blank=True)
    pay_amount = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    pay_currency = models.CharField(max_length=3, blank=True)
    retention_days = models.PositiveSmallIntegerField(default=180)  # external ids are dropped so long after closing
    answers_version = models.PositiveIntegerField(default=0)  # raised with every change that could move a standing
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("trial", args=[self.slug])


class AppendOnlyQuerySet(models.QuerySet):
    """Rows that are written once: what happened stays as it was noted."""

    def update(self, **values: object) -> int:
        raise TypeError("events are appended, never changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise TypeError("events are appended, never deleted")


class Event(models.Model):
    """Something that happened, and when."""

    at = models.DateTimeField(auto_now_add=True)

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *arguments: Any, **options: Any) -> None:
        if self.pk:
            raise TypeError("events are appended, never changed")
        super().save(*arguments, **options)

    def delete(self, *arguments: Any, **options: Any) -> tuple[int, dict[str, int]]:
        raise TypeError("events are appended, never deleted")


class TrialEvent(Event):
    """One thing that somebody did to a whole trial or to one of its participants, by random code. Append-only."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=20)
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey("accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.note}"


class ParticipantKind(models.TextChoices):
    PERSON = "person"
    PREVIEW = "preview"
    PILOT = "pilot"
    SIMULATED = "simulated"


class ParticipantState(models.TextChoices):
    ARRIVED = "arrived"
    CONSENTED = "consented"
    FINISHED = "finished"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXCLUDED = "excluded"
    STOPPED = "stopped"
    SCREENED = "screened"


class Participant(models.Model):
    """Somebody on the road. `token` is the key in the address; `code` is the random name that exports use."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="participants")
    token = models.CharField(max_length=43, unique=True)
    code = models.CharField(max_length=16, unique=True)
    kind = models.CharField(max_length=10, choices=ParticipantKind.choices, default=ParticipantKind.PERSON)
    state = models.CharField(max_length=10, choices=ParticipantState.choices, default=ParticipantState.ARRIVED)
    language = models.CharField(max_length=8, default="en")
    checks = models.JSONField(default=dict, blank=True)  # attempts at the sound check and the quiz
    step = models.CharField(max_length=20, blank=True)  # where the road goes on
    sheet = models.ForeignKey("Sheet", null=True, blank=True, on_delete=models.SET_NULL, related_name="given_to")
    epoch = models.PositiveIntegerField(
        default=0
    )  # of that sheet when it was given: another one there means it is lost
    consent_version = models.CharField(max_length=20, blank=True)
    consent_hash = models.CharField(max_length=64, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    completion_code = models.CharField(max_length=16, blank=True)
    repair_at = models.DateTimeField(null=True, blank=True)  # the code was given while answers were missing here
    receipt_code = models.CharField(max_length=24, blank=True, db_index=True)
    excluded_why = models.CharField(max_length=200, blank=True)
    answers_swapped = models.BooleanField(default=False)  # order of the buttons, drawn once and kept
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["trial", "created_at"], name="newcomers_of_a_trial")]

    def __str__(self) -> str:
        return self.code

    @property
    def has_finished(self) -> bool:
        return self.state == ParticipantState.FINISHED


class SheetState(models.TextChoices):
    OPEN = "open"
    LEASED = "leased"
    DONE = "done"


class Sheet(models.Model):
    """What one person gets; `epoch` fences off whoever lost its lease."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="sheets")
    order = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=SheetState.choices, default=SheetState.OPEN)
    holder = models.ForeignKey(Participant, null=True, blank=True, on_delete=models.SET_NULL, related_name="sheets")
    epoch = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "order"], name="one_sheet_a_number"),
            models.UniqueConstraint(fields=["holder"], name="one_sheet_a_person", condition=Q(holder__isnull=False)),
        ]
        indexes = [models.Index(fields=["trial", "state", "lease_until"], name="sheets_to_claim")]

    def __str__(self) -> str:
        return f"sheet {self.order} of {self.trial_id}"


class Slot(models.Model):
    """One answer wanted."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="slots")
    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="slots")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="slots")
    condition = models.CharField(max_length=20, default="video")
    replicate = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "item", "condition", "replicate"], name="exactly_k_slots"),
            models.UniqueConstraint(fields=["sheet", "position"], name="one_slot_a_position"),
            models.UniqueConstraint(fields=["sheet", "item"], name="no_item_twice_on_a_sheet"),
        ]

    def __str__(self) -> str:
        return f"slot {self.pk}"


class Answered(Response):
    """What a page records with an answer (trial_types.py)."""

    answer = models.CharField(max_length=200)
    seconds = models.FloatField(null=True, blank=True)  # from the first presented frame to the answer
    replays = models.PositiveSmallIntegerField(default=0)
    watched = models.FloatField(null=True, blank=True)  # share of the clip that was really played
    playback = models.JSONField(default=dict, blank=True)  # stalls, focus losses, dropped frames, flags

    class Meta:
        abstract = True


class Judgment(Answered):
    """A participant's answer to one slot. At most one a slot counts; the others are surplus, kept and paid."""

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


class PilotAnswer(Answered):
    """An answer of a pilot: of a table of its own, so that no slot, vote or export of people can meet it."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="pilot_answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["participant", "position"]
        constraints = [models.UniqueConstraint(fields=["participant", "position"], name="one_pilot_answer")]

    def __str__(self) -> str:
        return f"pilot answer {self.pk}"


class AttentionAnswer(Answered):
    """An answer to an attention item: of a table of its own, like a pilot's."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="attention_answers")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["participant", "position"]
        constraints = [models.UniqueConstraint(fields=["participant", "position"], name="one_attention_answer")]

    def __str__(self) -> str:
        return f"attention answer {self.pk}"


class SheetEvent(Event):
    """One thing that happened to a sheet. Append-only; never an answer, never an id of a person."""

    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="events")
    epoch = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.kind} at epoch {self.epoch}"


class Holding(models.Model):
    """Who was given a sheet at which epoch; events name nobody. Somebody who withdraws is not named here any more."""

    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="holdings")
    epoch = models.PositiveIntegerField()
    holder = models.ForeignKey(Participant, null=True, blank=True, on_delete=models.SET_NULL, related_name="holdings")
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["epoch"]
        constraints = [models.UniqueConstraint(fields=["sheet", "epoch"], name="one_holder_an_epoch")]

    def __str__(self) -> str:
        return f"epoch {self.epoch} of {self.sheet_id}"


class PayKind(models.TextChoices):
    BASE = "base"
    BONUS = "bonus"


class PayEntry(models.Model):
    """Pay that a person of the staff approved for somebody. Once a kind; the ledger keeps who, how much and why."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="pay_entries")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="pay_entries")
    kind = models.CharField(max_length=10, choices=PayKind.choices, default=PayKind.BASE)
    amount = models.DecimalField(max_digits=8, decimal_places=2)
    reason = models.CharField(max_length=200)
    by = models.ForeignKey("accounts.User", null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "kind"], name="paid_once_a_kind"),
            models.CheckConstraint(condition=Q(amount__gte=0), name="pay_is_never_taken"),
        ]
        verbose_name_plural = "pay entries"

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}"


class Identity(models.Model):
    """The only table with external ids (identities.py alone reads and writes it), keyed by HMAC."""

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
