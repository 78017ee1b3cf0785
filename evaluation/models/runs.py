"""Runs: one model over one pack, strategy and condition, how far it is and who may see it."""

import hashlib
import json

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.urls import reverse

from benchmarks.models import Pack
from benchmarks.registry import BENCHMARKS
from evaluation.models.answerers import Model
from evaluation.models.shards import Cell, CellState


class RunKind(models.TextChoices):
    RUN = "run"
    UPLOADED = "uploaded"
    REFEREE = "referee"  # a model scores the replies of another run, `judged`: never a row of its own


class RunState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RunCode(models.TextChoices):
    """Why a run failed or waits, for programs; `reason` says it in words."""

    MODEL_UNUSABLE = "model-unusable"  # it can't be opened or asked at all: a person must mend it
    MODEL_BUSY = "model-busy"  # rate limit, timeout, 5xx
    DISK_FULL = "disk-full"
    STORE_AWAY = "store-away"  # the media store, where the clips are
    OUT_OF_MEMORY = "out-of-memory"
    UNANSWERED = "unanswered"  # some questions could not be asked: the first of them is named
    UNSCORED = "unscored"  # all is answered, but the referee could not go on


class Priority(models.IntegerChoices):
    """Runs of a higher priority are always taken first; among equal ones workers go round."""

    LOW = -1
    NORMAL = 0
    HIGH = 1


class Mark(models.TextChoices):
    """What staff say about an uploaded row, beside its numbers."""

    BASELINE = "baseline"  # stands for a simple rule or a control, and not for a proposed model
    VERIFIED = "verified"  # staff ran it again, or hold what it was run with, and found the same


class Listing(models.TextChoices):
    PRIVATE = "private"
    SUBMITTED = "submitted"
    LISTED = "listed"
    DECLINED = "declined"


REFERENCES = ("reference-positive", "reference-random")  # models whose answers a referee is validated with
# Benchmarks whose boards show a referee's points.
REFEREED = tuple(slug for slug, one in BENCHMARKS.items() if any(level.dimensions for level in one.levels))
IDENTITY = ("revision", "strategy", "condition", "split", "sampler", "sampling", "parser", "parser_version", "referee")


class RunQuerySet(models.QuerySet["Run"]):
    def on_the_board(self) -> "RunQuerySet":
        """Complete, unlimited and listed: runs that may be a row."""
        return self._listed_whole().exclude(self.by_unknown_referees())

    def on_the_board_of(self, pack: Pack) -> "RunQuerySet":
        """The same of one pack; where answers are scored by rule, nobody has to be asked about referees."""
        found = self._listed_whole().filter(pack=pack)
        return found.exclude(self.by_unknown_referees()) if pack.benchmark in REFEREED else found

    def _listed_whole(self) -> "RunQuerySet":
        found = self.filter(state=RunState.FINISHED, listing=Listing.LISTED, limit=None, only={})
        return found.exclude(kind=RunKind.REFEREE)

    @staticmethod
    def by_unknown_referees() -> Q:
        """Runs whose points are by a referee that has not been validated, where boards show a referee's points."""
        validated = Run.objects.validating().filter(
            model__slug=OuterRef("referee"), judged__pack__benchmark=OuterRef("pack__benchmark")
        )
        return Q(pack__benchmark__in=REFEREED) & ~Q(referee="") & ~Q(Exists(validated))

    def validating(self) -> "RunQuerySet":
        """Refereeings that make a validation: the referee judged both kinds of the same samples, right and beside."""
        judging = Run.objects.filter(kind=RunKind.REFEREE, state=RunState.FINISHED)
        pair = {"model": OuterRef("model"), "judged__pack": OuterRef("judged__pack"),
                "judged__card__validation": OuterRef("judged__card__validation")}  # fmt: skip
        both = (Exists(judging.filter(judged__model__slug=slug, **pair)) for slug in REFERENCES)
        done = self.filter(kind=RunKind.REFEREE, state=RunState.FINISHED, judged__model__slug__in=REFERENCES)
        return done.filter(*both)

    def submissions(self) -> "RunQuerySet":
        """Uploads that are stored as a whole."""
        return self.filter(kind=RunKind.UPLOADED, state=RunState.FINISHED)

    def unfinished(self) -> "RunQuerySet":
        return self.filter(state__in=(RunState.QUEUED, RunState.RUNNING))

    def counted(self) -> "RunQuerySet":
        """Runs that count against their owner's quota: not what failed, was cancelled before a result, or judges."""
        answered = Cell.objects.filter(run=OuterRef("pk"), state=CellState.ANSWERED)
        without_result = Q(state=RunState.CANCELLED) & ~Exists(answered)
        return self.exclude(state=RunState.FAILED).exclude(kind=RunKind.REFEREE).exclude(without_result)

    def visible_to(self, user: AbstractBaseUser | AnonymousUser) -> "RunQuerySet":
        """Listed runs for everybody, the others for their owner and staff; a refereeing like the run that it judges."""
        if getattr(user, "is_staff", False):
            return self
        listed = Q(listing=Listing.LISTED) & (Q(judged=None) | Q(judged__listing=Listing.LISTED))
        return self.filter(listed | Q(owner_id=user.pk, owner__isnull=False))


class Run(models.Model):
    """One model over one pack, strategy and condition. Runs of different identity are never averaged together."""

    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="runs")
    kind = models.CharField(max_length=12, choices=RunKind.choices, default=RunKind.RUN)
    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="runs")
    revision = models.CharField(max_length=64, blank=True)
    strategy = models.CharField(max_length=40)
    condition = models.CharField(max_length=20, default="video")
    split = models.CharField(max_length=20, default="all")
    sampler = models.CharField(max_length=40, blank=True)
    sampling = models.JSONField(default=dict)  # temperature, max_new_tokens
    seeds = models.JSONField(default=list)
    parser = models.CharField(max_length=40)
    parser_version = models.CharField(max_length=20)
    referee = models.CharField(max_length=60, blank=True)  # slug of the model whose scores count; '' = by rule
    rubric = models.CharField(max_length=40, blank=True)  # evaluation/refereeing/rubrics.py; '' = each item's own
    judged = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="refereeings")
    limit = models.PositiveIntegerField(null=True, blank=True)  # such a run has a page but no row
    only = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=12, choices=RunState.choices, default=RunState.QUEUED)
    code = models.CharField(max_length=20, choices=RunCode.choices, blank=True)
    reason = models.TextField(blank=True)  # why it failed or waits, in words
    priority = models.SmallIntegerField(choices=Priority.choices, default=Priority.NORMAL)
    served_at = models.DateTimeField(null=True, blank=True)  # when a shard of it was last taken: whose turn is next
    busy_since = models.DateTimeField(null=True, blank=True)  # the model has answered nothing but "later" since then
    rest_until = models.DateTimeField(null=True, blank=True)  # nobody asks before
    listing = models.CharField(max_length=12, choices=Listing.choices, default=Listing.PRIVATE)
    marks = models.JSONField(default=list, blank=True)  # of Mark, in its order
    card = models.JSONField(default=dict, blank=True)  # hashes, versions, device, times
    results = models.JSONField(default=dict, blank=True)  # what came of it at its end, see outcomes.py …
    results_version = models.PositiveIntegerField(null=True, blank=True)  # … as of this answers_version
    answers_version = models.PositiveIntegerField(default=0)  # raised with every change that could move a standing
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="referee", judged__isnull=False) | (~Q(kind="referee") & Q(judged__isnull=True)),
                name="a_referee_judges_a_run",
            ),
            models.UniqueConstraint(fields=["judged", "model"], name="one_refereeing_a_referee"),
        ]
        indexes = [models.Index(fields=["state"], name="runs_by_state")]

    def __str__(self) -> str:
        return f"run {self.pk}: {self.model}, {self.strategy}"

    def get_absolute_url(self) -> str:
        return reverse("run", args=[self.pk])

    @property
    def identity(self) -> str:
        """SHA-256 over what makes two rows comparable as one: the same identity, the same row."""
        facts = {name: getattr(self, name) for name in IDENTITY} | {"model": self.model_id, "pack": self.pack_id}
        if self.rubric:
            facts["rubric"] = self.rubric
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class Spent(models.Model):
    """A submission that was deleted after its result was seen: it goes on counting against the quota of its day."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="spent")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user_id} at {self.at}"
