"""Prompt packs, generators and their clips, and what people, judges and papers said of these."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from benchmarks.definitions.rated_dimensions import RatedDimension, dimension_of
from benchmarks.leasing import Leased
from benchmarks.models import Item, Pack
from extensions.generated.dimensions import PRESETS


class Access(models.TextChoices):
    """Who can make clips with a generator."""

    OPEN = "open", "open weights"
    API = "api", "by API"
    RESEARCH = "research", "research alone"
    MADE_HERE = "made here", "made here"


class GeneratorRole(models.TextChoices):
    """What a row is on a board: only generators have ranks, the others are lines beside them."""

    GENERATOR = "generator"
    CEILING = "ceiling"
    FLOOR = "floor"


class PromptPack(models.Model):
    """The prompts of one board, and what is asked about the clips made for them."""

    slug = models.SlugField(max_length=40, unique=True)
    title = models.CharField(max_length=120)
    preset = models.CharField(max_length=20, blank=True)  # a published set of dimensions; "" = votes alone
    source = models.URLField(max_length=200, blank=True)
    licence = models.CharField(max_length=120, blank=True)
    definition = models.JSONField(default=list, blank=True)  # the tables [[dimensions]] of its file; [] = the preset's
    about = models.TextField(blank=True)
    version = models.CharField(max_length=20, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)  # of its folder; "" = it came with scores or votes
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("generated-board", args=[self.slug])

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The tables [[dimensions]] of its file, or those of its preset."""
        return self.definition or (PRESETS[self.preset].records if self.preset else ())

    @property
    def dimensions(self) -> tuple[RatedDimension, ...]:
        """What raters are asked about its clips, in the order of its file."""
        return tuple(dimension_of(record) for record in self.records)


class Prompt(models.Model):
    """One prompt; `key` is its name in files, and `laws` are those that its clips are rated by."""

    pack = models.ForeignKey(PromptPack, on_delete=models.CASCADE, related_name="prompts")
    key = models.CharField(max_length=120)
    text = models.TextField(blank=True)
    laws = models.JSONField(default=list, blank=True)
    # Paths below the store's folder of prompt packs; "" = none. The reference is what really happened.
    first_frame = models.CharField(max_length=200, blank=True)
    reference = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["key"]
        constraints = [models.UniqueConstraint(fields=["pack", "key"], name="one_prompt_a_key")]

    def __str__(self) -> str:
        return self.key


class Generator(models.Model):
    """What makes clips, and has a row."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    access = models.CharField(max_length=10, choices=Access.choices, blank=True)
    role = models.CharField(max_length=10, choices=GeneratorRole.choices, default=GeneratorRole.GENERATOR)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title


class ReportedRow(models.Model):
    """A row as a paper or its site prints it: means by people, by column."""

    pack = models.ForeignKey(PromptPack, on_delete=models.CASCADE, related_name="reported_rows")
    generator = models.ForeignKey(Generator, on_delete=models.PROTECT, related_name="reported_rows")
    scores = models.JSONField()  # column -> number, as it is printed
    source = models.CharField(max_length=200)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["pack", "generator"], name="one_reported_row_a_generator")]

    def __str__(self) -> str:
        return f"{self.generator_id} in {self.source}"


class Judge(models.Model):
    """A model that rates clips, with one way of asking it."""

    pack = models.ForeignKey(PromptPack, on_delete=models.CASCADE, related_name="judges")
    slug = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    model = models.CharField(max_length=120)
    scheme = models.CharField(max_length=60, blank=True)  # how it was asked, in the words of its files
    order = models.PositiveSmallIntegerField(default=0)  # of its column

    class Meta:
        ordering = ["order", "slug"]
        constraints = [models.UniqueConstraint(fields=["pack", "slug"], name="one_judge_a_slug")]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("judge-audit", args=[self.pack.slug, self.slug])


class JudgeReading(models.Model):
    """What a judge said of one generator's clips in one pass; a later pass over the same clips is a retest."""

    judge = models.ForeignKey(Judge, on_delete=models.CASCADE, related_name="readings")
    generator = models.ForeignKey(Generator, on_delete=models.PROTECT, related_name="readings")
    file = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    stamp = models.CharField(max_length=40)  # of the pass, in the file's words; the first is on the board
    frames_a_second = models.FloatField(null=True, blank=True)
    scores = models.JSONField()  # prompt -> dimension -> step; null: the judge's answer could not be read

    class Meta:
        ordering = ["stamp", "file"]
        constraints = [models.UniqueConstraint(fields=["judge", "file"], name="one_reading_a_file")]

    def __str__(self) -> str:
        return self.file


class VoteFile(models.Model):
    """Votes between two clips of one prompt, as they came in a file; people are numbers, and their names are dropped.

    `votes` is what pairs/vote_files.py packs.
    """

    pack = models.ForeignKey(PromptPack, on_delete=models.CASCADE, related_name="vote_files")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    votes = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["pack", "sha256"], name="one_vote_file_a_content")]

    def __str__(self) -> str:
        return self.name


class ClipSetState(models.TextChoices):
    """Where a clip set is on its way to a board."""

    SENDING = "sending"  # parts of its archive are still to come
    WAITING = "waiting"  # for a worker that checks it
    CHECKING = "checking"
    REFUSED = "refused"  # it has errors; its report names them
    CHECKED = "checked"  # it waits for a member of staff
    LISTED = "listed"
    WITHDRAWN = "withdrawn"


class ClipSet(Leased):
    """One generator's clips for the prompts of a pack, as it was sent: a row of the pack's board.

    A row is a generator with its version and all that changes its clips: these fields of the card are `identity`.
    """

    WAITS, HELD = ClipSetState.WAITING, ClipSetState.CHECKING

    pack = models.ForeignKey(PromptPack, on_delete=models.PROTECT, related_name="clip_sets")
    generator = models.ForeignKey(
        Generator, null=True, blank=True, on_delete=models.PROTECT, related_name="clip_sets"
    )  # None until its card was read
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=160)  # the generator with what tells this set from its others
    state = models.CharField(max_length=10, choices=ClipSetState.choices, default=ClipSetState.WAITING)
    card = models.JSONField(default=dict, blank=True)  # the fields of card.toml
    identity = models.CharField(max_length=300, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)  # of the sorted list of (file, sha256 of the file)
    findings = models.JSONField(default=list, blank=True)  # of its lint: weight, place, code, text
    key = models.CharField(max_length=32, unique=True)  # names its files, and the parts of its archive, in the store
    archive = models.CharField(max_length=200, blank=True)  # the sender's name of the file
    size = models.PositiveBigIntegerField(default=0)  # of the archive in bytes, and how many have arrived
    received = models.PositiveBigIntegerField(default=0)
    clips_done = models.PositiveIntegerField(default=0)
    clips_total = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    is_simulated = models.BooleanField(default=False)  # its clips were made here to have known faults
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="clip_sets"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pack", "identity"],
                condition=models.Q(state__in=["checked", "listed"]),
                name="one_clip_set_a_row",
            )
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("clip-set", args=[self.slug])

    @property
    def is_open(self) -> bool:
        """Whether it still waits for its archive or for a worker."""
        return self.state in (ClipSetState.SENDING, ClipSetState.WAITING, ClipSetState.CHECKING)


class GeneratedClip(models.Model):
    """One clip of a set. `truth` is known of clips that were made here alone."""

    clip_set = models.ForeignKey(ClipSet, on_delete=models.CASCADE, related_name="clips")
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="clips")
    take = models.CharField(max_length=40, blank=True)
    seed = models.CharField(max_length=40, blank=True)
    file = models.CharField(max_length=200)  # its name in the archive
    sha256 = models.CharField(max_length=64)
    facts = models.JSONField(default=dict, blank=True)  # what the lint saw: size, rate, seconds, motion
    # {"is_broken": bool, "kind": str, "onset": seconds or null, "visible_from": seconds or null, "severity": 1..3}
    truth = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["clip_set", "prompt", "take"], name="one_clip_a_prompt_and_take")
        ]

    def __str__(self) -> str:
        return self.file

    @property
    def stored(self) -> str:
        """Its name in the media store."""
        return f"clipsets/{self.clip_set.key}-{self.sha256[:32]}.mp4"


class RatingRound(models.Model):
    """Clip sets of a pack that are rated together; its questions are the items of `questions`, a pack of the core."""

    pack = models.ForeignKey(PromptPack, on_delete=models.PROTECT, related_name="rounds")
    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    questions = models.OneToOneField(Pack, on_delete=models.PROTECT, related_name="rating_round")
    # The round whose votes chose this one's pairs; None = every pair is asked
    after = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="followed_by")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.title


class RatedClip(models.Model):
    """Which clip a question shows: nothing else tells, so that no page of a round names a generator before its end."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="asked_clips")
    place = models.PositiveSmallIntegerField(default=0)  # of two clips: 0 is A, 1 is B
    round = models.ForeignKey(RatingRound, on_delete=models.CASCADE, related_name="asked_clips")
    clip = models.ForeignKey(GeneratedClip, on_delete=models.PROTECT, related_name="asked")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["item", "place"], name="one_generated_clip_a_place")]

    def __str__(self) -> str:
        return f"clip {self.place} of {self.item_id}"


class RowChange(models.Model):
    """A public line on a change of a row: who asked, and what was found. Written once."""

    clip_set = models.ForeignKey(ClipSet, on_delete=models.CASCADE, related_name="changes")
    at = models.DateTimeField(auto_now_add=True)
    asked_by = models.CharField(max_length=120)  # as the public reads it
    what = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return self.what

    def save(self, *arguments: Any, **options: Any) -> None:
        if self.pk:
            raise TypeError("changes are appended, never edited")
        super().save(*arguments, **options)
