"""Participants and their pay, and the random names and codes by which they are known."""

import secrets

from django.db import models
from django.db.models import Q

from humantrials.models.trials import Trial


class ParticipantKind(models.TextChoices):
    PERSON = "person"
    PREVIEW = "preview"
    PILOT = "pilot"
    SIMULATED = "simulated"


TAKING_PART = (ParticipantKind.PERSON, ParticipantKind.SIMULATED)


class ParticipantState(models.TextChoices):
    CONSENTED = "consented"
    FINISHED = "finished"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXCLUDED = "excluded"
    STOPPED = "stopped"
    SCREENED = "screened"


class Participant(models.Model):
    """A participant. `token` is the key in the address; `code` is the random name that exports use."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="participants")
    token = models.CharField(max_length=43, unique=True)
    code = models.CharField(max_length=16, unique=True)
    kind = models.CharField(max_length=10, choices=ParticipantKind.choices, default=ParticipantKind.PERSON)
    state = models.CharField(max_length=10, choices=ParticipantState.choices, default=ParticipantState.CONSENTED)
    language = models.CharField(max_length=8, default="en")
    checks = models.JSONField(default=dict, blank=True)  # attempts at the sound check and the quiz
    step = models.CharField(max_length=20, blank=True)  # the participant's current step
    sheet = models.ForeignKey("Sheet", null=True, blank=True, on_delete=models.SET_NULL, related_name="given_to")
    epoch = models.PositiveIntegerField(
        default=0
    )  # the sheet's epoch when it was assigned; the sheet is lost if its epoch now differs
    consent_version = models.CharField(max_length=20, blank=True)
    consent_hash = models.CharField(max_length=64, blank=True)
    consented_at = models.DateTimeField(null=True, blank=True)
    has_evidence = models.BooleanField(default=False, db_default=False)  # the server notes which clips it sends
    clips_sent_at = models.DateTimeField(null=True, blank=True)  # when the first page with clips was sent
    beats = models.PositiveIntegerField(default=0, db_default=0)  # heartbeats of the open page, one in 20 seconds
    # Keyed hashes of network address and browsers (participation/equipment.py); None once they are erased.
    traces = models.JSONField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    completion_code = models.CharField(max_length=16, blank=True)
    partial_code = models.CharField(max_length=32, blank=True, default="", db_default="")  # for part of the sheet
    repair_at = models.DateTimeField(null=True, blank=True)  # when the code was given although answers were missing
    receipt_code = models.CharField(max_length=24, blank=True, db_index=True)
    excluded_why = models.CharField(max_length=200, blank=True)
    # Set on each further sitting of the same person: their first sitting.
    first = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="sittings")
    answers_swapped = models.BooleanField(default=False)  # random order of the buttons, fixed for the person
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["trial", "created_at"], name="newcomers_of_a_trial")]

    def __str__(self) -> str:
        return self.code

    @property
    def own_code(self) -> str:
        """The code that the person has: of the whole sheet, else of the part that was done; "" if none yet."""
        return self.completion_code or self.partial_code

    @property
    def is_under_way(self) -> bool:
        """Whether the person agreed, and has neither finished nor left."""
        return self.state == ParticipantState.CONSENTED

    @property
    def has_finished(self) -> bool:
        return self.state == ParticipantState.FINISHED

    @property
    def is_preview(self) -> bool:
        return self.kind == ParticipantKind.PREVIEW

    @property
    def is_pilot(self) -> bool:
        return self.kind == ParticipantKind.PILOT

    @property
    def is_apart(self) -> bool:
        """Whether the person only tries the study out: looks at a sheet without holding it, and is not paid."""
        return self.is_preview or self.is_pilot


class PayKind(models.TextChoices):
    BASE = "base"
    BONUS = "bonus"


class PayEntry(models.Model):
    """Pay that a member of staff approved, at most once a kind. The ledger stores who approved how much and why."""

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


READABLE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without look-alikes such as O and 0


def _random(length: int) -> str:
    return "".join(secrets.choice(READABLE) for _ in range(length))


def token() -> str:
    """The key in a participant's address: 256 random bits."""
    return secrets.token_urlsafe(32)


def public_code() -> str:
    """The name that exports give to a person."""
    return f"P{_random(9)}"


def completion_code() -> str:
    """The code that the person gives the panel. Without a prefix it means that all answers are stored."""
    return _random(8)


def partial_code(done: str, count: str = "") -> str:
    """The code for part of a sheet: `done` and a random part, which is kept if `count` is an earlier code."""
    return f"{done}-{count.rpartition('-')[2] or _random(8)}"


def receipt_code() -> str:
    """The code with which the person can have their answers deleted: 100 random bits, in groups to write down."""
    return "-".join(_random(5) for _ in range(4))
