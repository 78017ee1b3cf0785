"""Runs: one model over one pack, strategy and condition, divided among workers in leased shards of cells."""

import hashlib
import json
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.leasing import Leased
from benchmarks.models import Item, Pack
from evaluation.models.model import Model, ModelRole


class ShardState(models.TextChoices):
    OPEN = "open"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"


class Shard(Leased):
    """A part of a run that one worker holds at a time."""

    WAITS, HELD = ShardState.OPEN, ShardState.LEASED

    run = models.ForeignKey("evaluation.Run", on_delete=models.CASCADE, related_name="shards")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=ShardState.choices, default=ShardState.OPEN)
    holder = models.CharField(max_length=80, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    # Counted once, when the shard is done: a page need not count a hundred thousand cells.
    answered = models.PositiveSmallIntegerField(default=0)
    failed = models.PositiveSmallIntegerField(default=0)
    problems = models.JSONField(default=dict, blank=True)  # {"unread": 3}

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_shard_a_number")]
        indexes = [models.Index(fields=["state", "lease_until"], name="shards_to_take")]

    def __str__(self) -> str:
        return f"shard {self.number} of run {self.run_id}"


class CellState(models.TextChoices):
    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"


class Cell(models.Model):
    """One item asked once with one seed."""

    run = models.ForeignKey("evaluation.Run", on_delete=models.CASCADE, related_name="cells")
    shard = models.ForeignKey(Shard, null=True, on_delete=models.CASCADE, related_name="cells")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="cells")
    seed = models.IntegerField(default=0)
    state = models.CharField(max_length=8, choices=CellState.choices, default=CellState.OPEN)
    reason = models.CharField(max_length=300, blank=True)
    is_lasting = models.BooleanField(default=False, db_default=False)  # asked again it would fail again

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "item", "seed"], name="one_cell_a_question")]
        indexes = [models.Index(fields=["run", "state"], name="cells_by_state")]

    def __str__(self) -> str:
        return f"cell {self.pk}"


class RunKind(models.TextChoices):
    RUN = "run"
    UPLOADED = "uploaded"
    REFEREE = "referee"  # a model scores the replies of another run, `judged`; never a row of a board


class RunState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RunCode(models.TextChoices):
    """Why a run failed or waits, for programs; `reason` explains the cause to people."""

    MODEL_UNUSABLE = "model-unusable"  # the model can't be opened or used until a person fixes it
    MODEL_BUSY = "model-busy"  # rate limit, timeout, 5xx
    DISK_FULL = "disk-full"
    STORE_AWAY = "store-away"  # the media store, which holds the clips
    OUT_OF_MEMORY = "out-of-memory"
    UNANSWERED = "unanswered"  # some questions could not be asked; `reason` names the first
    CEILING = "ceiling"  # the run's ceiling of cost or tokens is reached; a person may raise it
    UNSCORED = "unscored"  # every question is answered, but the referee could not continue


class Priority(models.IntegerChoices):
    """Priority of a run: higher ones are served first, equal ones in turn."""

    LOW = -1
    NORMAL = 0
    HIGH = 1


class SubmissionBadge(models.TextChoices):
    """A badge that staff give an uploaded row; boards show it beside the numbers."""

    BASELINE = "baseline"  # a simple rule or a control rather than a proposed model
    VERIFIED = "verified"  # reproduced by staff, by running it or from the run's materials


class Listing(models.TextChoices):
    PRIVATE = "private"
    SUBMITTED = "submitted"
    LISTED = "listed"
    DECLINED = "declined"


REFERENCES = ("reference-positive", "reference-random")  # models whose known answers validate a referee
# Benchmarks whose boards show a referee's scores.
REFEREED = tuple(slug for slug, one in BENCHMARKS.items() if any(level.dimensions for level in one.levels))
IDENTITY = ("revision", "strategy", "condition", "split", "sampler", "sampling", "parser", "parser_version", "referee")


@cache
def by_unknown_referees() -> Q:
    """Runs scored by a referee that has not been validated, on benchmarks whose boards show a referee's scores.

    Made once: every board needs it, and its nested subqueries take a millisecond to build.
    """
    validated = Run.objects.validating().filter(
        model__slug=OuterRef("referee"), judged__pack__benchmark=OuterRef("pack__benchmark")
    )
    return Q(pack__benchmark__in=REFEREED) & ~Q(referee="") & ~Q(Exists(validated))


class RunQuerySet(models.QuerySet["Run"]):
    def on_the_board(self) -> "RunQuerySet":
        """Listed, finished runs without a limit, which may be rows of the board."""
        return self._complete_and_listed().exclude(by_unknown_referees())

    def on_the_board_of(self, pack: Pack) -> "RunQuerySet":
        """Like `on_the_board`, for one pack; skips the check of referees if answers are scored by rule."""
        return self._on_boards_of(pack.benchmark).filter(pack=pack)

    def on_the_boards_of(self, benchmark: str) -> "RunQuerySet":
        """Like `on_the_board`, for one benchmark, with the same short cut."""
        return self._on_boards_of(benchmark).filter(pack__benchmark=benchmark)

    def _on_boards_of(self, benchmark: str) -> "RunQuerySet":
        return self.on_the_board() if benchmark in REFEREED else self._complete_and_listed()

    def _complete_and_listed(self) -> "RunQuerySet":
        found = self.filter(state=RunState.FINISHED, listing=Listing.LISTED, limit=None, only={})
        return found.exclude(kind=RunKind.REFEREE)

    def validating(self) -> "RunQuerySet":
        """Finished refereeings by referees that judged both reference models (REFERENCES) on the same samples."""
        judging = Run.objects.filter(kind=RunKind.REFEREE, state=RunState.FINISHED)
        pair = {
            "model": OuterRef("model"),
            "judged__pack": OuterRef("judged__pack"),
            "judged__card__validation": OuterRef("judged__card__validation"),
        }
        both = (Exists(judging.filter(judged__model__slug=slug, **pair)) for slug in REFERENCES)
        done = self.filter(kind=RunKind.REFEREE, state=RunState.FINISHED, judged__model__slug__in=REFERENCES)
        return done.filter(*both)

    def submissions(self) -> "RunQuerySet":
        """Uploads that are stored completely."""
        return self.filter(kind=RunKind.UPLOADED, state=RunState.FINISHED)

    def proposed(self) -> "RunQuerySet":
        """Uploads proposed for the leaderboard, which wait for staff."""
        return self.filter(kind=RunKind.UPLOADED, listing=Listing.SUBMITTED)

    def unfinished(self) -> "RunQuerySet":
        return self.filter(state__in=Run.GOING)

    def counted(self) -> "RunQuerySet":
        """Runs that count towards the quota: all but failed runs, refereeings, and cancelled runs without an answer."""
        answered = Cell.objects.filter(run=OuterRef("pk"), state=CellState.ANSWERED)
        without_result = Q(state=RunState.CANCELLED) & ~Exists(answered)
        return self.exclude(state=RunState.FAILED).exclude(kind=RunKind.REFEREE).exclude(without_result)

    def change_answers(self, **fields: Any) -> int:
        """Update these columns and note that standings could change; return the number of runs."""
        return self.update(answers_version=F("answers_version") + 1, **fields)

    def move_to(self, state: str, **fields: Any) -> int:
        """Put these runs into this state, without a rest and, unless `fields` say so, without a reason or an end."""
        cleared = {"code": "", "reason": "", "finished_at": None, "busy_since": None, "rest_until": None}
        return self.change_answers(state=state, **cleared | fields)

    def visible_to(self, user: AbstractBaseUser | AnonymousUser) -> "RunQuerySet":
        """Listed runs for everybody, all others for their owner and staff; a refereeing follows the run it judges."""
        if getattr(user, "is_staff", False):
            return self
        listed = Q(listing=Listing.LISTED) & (Q(judged=None) | Q(judged__listing=Listing.LISTED))
        return self.filter(listed | Q(owner_id=user.pk, owner__isnull=False))


class Run(models.Model):
    """One model over one pack, strategy and condition. Runs of different identity are never averaged."""

    GOING = (RunState.QUEUED, RunState.RUNNING)

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
    rubric = models.CharField(max_length=40, blank=True)  # evaluation/referees/rubrics.py; '' = each item's own
    judged = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="refereeings")
    limit = models.PositiveIntegerField(null=True, blank=True)  # a run with a limit has a page but no row
    only = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=12, choices=RunState.choices, default=RunState.QUEUED)
    code = models.CharField(max_length=20, choices=RunCode.choices, blank=True)
    reason = models.TextField(blank=True)  # why it failed or waits, in a sentence
    priority = models.SmallIntegerField(choices=Priority.choices, default=Priority.NORMAL)
    served_at = models.DateTimeField(null=True, blank=True)  # when a shard was last leased; decides which run is next
    busy_since = models.DateTimeField(null=True, blank=True)  # since when the model has only replied "try again later"
    rest_until = models.DateTimeField(null=True, blank=True)  # no requests to the model before this time
    listing = models.CharField(max_length=12, choices=Listing.choices, default=Listing.PRIVATE)
    marks = models.JSONField(default=list, blank=True)  # values of SubmissionBadge, in its order
    role = models.CharField(  # found in uploaded answers: the same to everything, or to every question of a test
        max_length=20, choices=ModelRole.choices, default=ModelRole.MODEL
    )
    card = models.JSONField(default=dict, blank=True)  # hashes, versions, device, times
    results = models.JSONField(default=dict, blank=True)  # an ended run's results, see runs/results.py …
    results_version = models.PositiveIntegerField(null=True, blank=True)  # … and the answers_version they belong to
    answers_version = models.PositiveIntegerField(default=0)  # incremented by every change that could affect a standing
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
    def is_over(self) -> bool:
        return self.state not in self.GOING

    @property
    def is_baseline(self) -> bool:
        """Whether boards never call it the best model: by its model's role, by its answers, or by staff's badge."""
        roles = {self.model.role, self.role}
        return roles != {ModelRole.MODEL} or SubmissionBadge.BASELINE in self.marks

    @property
    def identity(self) -> str:
        """SHA-256 of everything that makes runs comparable: runs with the same identity share a row."""
        facts = {name: getattr(self, name) for name in IDENTITY} | {"model": self.model_id, "pack": self.pack_id}
        if self.rubric:
            facts["rubric"] = self.rubric
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class HiddenListing(models.Model):
    """A run with hidden answers that was listed on a board; it still counts after the run is deleted or renamed."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    model = models.SlugField(max_length=60)
    run = models.PositiveBigIntegerField(unique=True)  # its primary key; the run itself may be deleted
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["at"], name="hidden_listings_by_time")]

    def __str__(self) -> str:
        return f"run {self.run} of {self.model} at {self.at}"


class Spent(models.Model):
    """A submission deleted after its result was seen; it still counts against that day's quota."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="spent")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user_id} at {self.at}"
