"""Models and what they said: a run has cells (item × seed) in leased shards; a reply is kept, readings are rows."""

import hashlib
import json

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse

from benchmarks.models import Item, Pack, Response
from benchmarks.registry import BENCHMARKS
from evaluation.uploads import Upload as Upload
from evaluation.uploads import UploadState as UploadState


class Model(models.Model):
    """Something that answers: its adapter kind, how to open it, and its card."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)  # adapters/registry.py; "uploaded" for answers made elsewhere
    options = models.JSONField(default=dict, blank=True)  # how the adapter opens it, e.g. {"path": …}
    revision = models.CharField(max_length=64, blank=True)
    card = models.JSONField(default=dict, blank=True)  # organisation, link, parameters, trained_on, what …
    made_here = models.BooleanField(default=False)  # trained by this site: pages say so
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("model", args=[self.slug])

    @property
    def paper(self) -> str:
        """What its card tells of its paper: a BibTeX entry, else where it stands; '' for neither."""
        return str(self.card.get("citation") or self.card.get("paper") or "")


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
        found = self.filter(state=RunState.FINISHED, listing=Listing.LISTED, limit=None, only={})
        return found.exclude(kind=RunKind.REFEREE).exclude(self.by_unknown_referees())

    @staticmethod
    def by_unknown_referees() -> Q:
        """Runs whose points are by a referee that has not been validated, where boards show a referee's points."""
        judged = Run.objects.filter(
            kind=RunKind.REFEREE, state=RunState.FINISHED, model__slug=OuterRef("referee"),
            judged__pack__benchmark=OuterRef("pack__benchmark"),
        )  # fmt: skip
        has_both = Q(*(Exists(judged.filter(judged__model__slug=slug)) for slug in REFERENCES))
        return Q(pack__benchmark__in=REFEREED) & ~Q(referee="") & ~has_both

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


class ShardState(models.TextChoices):
    OPEN = "open"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"


class Shard(models.Model):
    """A part of a run that one worker holds at a time; `epoch` fences off a worker that lost its lease."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="shards")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=ShardState.choices, default=ShardState.OPEN)
    holder = models.CharField(max_length=80, blank=True)
    epoch = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True)
    # Counted when the shard is done, so that nobody has to count a hundred thousand cells to show a page.
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

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="cells")
    shard = models.ForeignKey(Shard, null=True, on_delete=models.CASCADE, related_name="cells")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="cells")
    seed = models.IntegerField(default=0)
    state = models.CharField(max_length=8, choices=CellState.choices, default=CellState.OPEN)
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "item", "seed"], name="one_cell_a_question")]
        indexes = [models.Index(fields=["run", "state"], name="cells_by_state")]

    def __str__(self) -> str:
        return f"cell {self.pk}"


class ModelResponse(Response):
    """What the model said, with the conversation as it went and the frames it saw."""

    cell = models.OneToOneField(Cell, on_delete=models.CASCADE, related_name="response")
    turns = models.JSONField(default=list)  # [{"role", "text", "frames": n}]
    frames_hash = models.CharField(max_length=64, blank=True)
    frame_indices = models.JSONField(default=list, blank=True)
    frame_times = models.JSONField(default=list, blank=True)  # seconds
    seconds = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return self.raw[:60]


class Reading(models.Model):
    """What one version of one parser read in a reply; reading again adds rows."""

    response = models.ForeignKey(ModelResponse, on_delete=models.CASCADE, related_name="readings")
    parser = models.CharField(max_length=40)
    version = models.CharField(max_length=20)
    answer = models.CharField(max_length=200, blank=True)
    problem = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["response", "parser", "version"], name="one_reading_a_parser"),
            models.CheckConstraint(condition=Q(answer="") | Q(problem=""), name="read_or_a_problem"),
        ]

    def __str__(self) -> str:
        return self.answer or self.problem


class Briefing(models.Model):
    """What a referee is told of one item besides the reply: gold texts, captions, attributes. Never served."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="briefing")
    facts = models.JSONField()  # {slot: text}; the slots are those of the item's rubric

    def __str__(self) -> str:
        return f"briefing of {self.item_id}"


class ScoreQuerySet(models.QuerySet["Score"]):
    def of_run(self, run: Run) -> "ScoreQuerySet":
        """The scores that count for this run: by its own parser, version and referee."""
        return self.filter(
            reading__response__cell__run=run, reading__parser=run.parser, reading__version=run.parser_version,
            referee=run.referee,
        )  # fmt: skip

    def counting(self) -> "ScoreQuerySet":
        """The same for many runs at once."""
        run = "reading__response__cell__run__"
        return self.filter(
            reading__parser=F(run + "parser"), reading__version=F(run + "parser_version"), referee=F(run + "referee")
        )


class Score(models.Model):
    """How good a reading is, 0 to 1, on one dimension, by one referee or by rule."""

    reading = models.ForeignKey(Reading, on_delete=models.CASCADE, related_name="scores")
    dimension = models.CharField(max_length=40, default="accuracy")
    referee = models.CharField(max_length=60, blank=True)
    value = models.FloatField()

    objects = ScoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reading", "dimension", "referee"], name="one_score_a_dimension"),
            models.CheckConstraint(condition=Q(value__gte=0, value__lte=1), name="score_is_a_share"),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} {self.value:g}"
