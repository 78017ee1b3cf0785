"""Human studies and their events."""

import hmac
from secrets import token_hex
from typing import Any

from django.db import models
from django.urls import reverse
from django.utils.functional import cached_property

from benchmarks.models import Item, Pack
from benchmarks.policy import KEEP

RETENTION_DAYS = KEEP["participants' ids"].period.days  # after closing, until external ids are deleted


def new_salt() -> str:
    return token_hex(16)


class TrialState(models.TextChoices):
    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"
    ARCHIVED = "archived"


RUNNING = (TrialState.OPEN, TrialState.PAUSED)  # a pause only keeps newcomers out
OVER = (TrialState.CLOSED, TrialState.ARCHIVED)


class Trial(models.Model):
    """One human study. A single request from the simulator marks it as simulated for ever."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    protocol = models.CharField(max_length=40)
    pack = models.ForeignKey(Pack, on_delete=models.PROTECT, related_name="trials")
    seed = models.PositiveIntegerField(default=0)
    # Mixed into the seed so that participants can't guess it and work out the sheets; published when the study is over.
    salt = models.CharField(max_length=32, default=new_salt, editable=False)
    settings = models.JSONField(default=dict, blank=True)
    # The exclusion rules of the first opening, each with its limit, in their order; None before it.
    registered_rules = models.JSONField(null=True, default=None, editable=False)
    state = models.CharField(max_length=10, choices=TrialState.choices, default=TrialState.DRAFT)
    is_simulated = models.BooleanField(default=False)
    design_hash = models.CharField(max_length=64, blank=True)
    practice = models.ForeignKey(Item, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    has_own_practice = models.BooleanField(default=False, db_default=False)  # the protocol's clip, which is no item
    author = models.ForeignKey("accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="trials")
    panel = models.CharField(max_length=20, default="generic")
    panel_settings = models.JSONField(default=dict, blank=True)
    pay_amount = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    pay_currency = models.CharField(max_length=3, blank=True)
    retention_days = models.PositiveSmallIntegerField(default=RETENTION_DAYS)
    # Visits by a link in which an id's placeholder was not replaced, as the visitors' browsers told.
    unfilled_links = models.PositiveIntegerField(default=0, editable=False)
    answers_version = models.PositiveIntegerField(default=0)  # raised by every change that could move a standing
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("trial", args=[self.slug])

    @property
    def draw_seed(self) -> int:
        """The seed for all draws of the study; the salt, and so this, is secret until the study is over."""
        return int.from_bytes(hmac.digest(self.salt.encode(), str(self.seed).encode(), "sha256")[:8])

    @property
    def seal_name(self) -> str:
        """The name of the seals on its items while it is open."""
        return f"trial:{self.slug}"

    @property
    def has_seal(self) -> bool:
        """Whether its items are hidden while it is open, which its author decides."""
        return bool(self.settings.get("seal", True))

    @property
    def published_salt(self) -> str:
        """The salt once the study is over: with it anybody can draw the sheets again. "" before."""
        return self.salt if self.state in OVER else ""

    @property
    def source_of_draws(self) -> str:
        """What the sheets are drawn from, in words for readers."""
        salt = f"salt {self.published_salt}" if self.published_salt else "a salt that is published when it closes"
        return f"seed {self.seed} and {salt}"

    @property
    def has_practice(self) -> bool:
        return self.has_own_practice or self.practice_id is not None

    @cached_property
    def has_evidence(self) -> bool:
        """Whether the server noted for any person which clips it sent; cached, since a page needs it often."""
        return self.participants.filter(kind="person", has_evidence=True).exists()


class AppendOnlyQuerySet(models.QuerySet):
    """Rows that are written once and never changed."""

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
    """Something done to a trial, or to one of its participants (named by random code). Append-only."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=20)
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey("accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.note}"
