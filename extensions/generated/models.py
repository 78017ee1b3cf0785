"""Prompt packs, generators, and what judges and papers said of the clips that generators made."""

from django.db import models
from django.urls import reverse


class Access(models.TextChoices):
    """Who can make clips with a generator."""

    OPEN = "open", "open weights"
    API = "api", "by API"


class PromptPack(models.Model):
    """The prompts of one board, and what is asked about the clips made for them."""

    slug = models.SlugField(max_length=40, unique=True)
    title = models.CharField(max_length=120)
    preset = models.CharField(max_length=20, blank=True)  # a published set of dimensions; "" = votes alone
    source = models.URLField(max_length=200, blank=True)
    licence = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("generated-board", args=[self.slug])


class Prompt(models.Model):
    """One prompt; `key` is its name in files, and `laws` are those that its clips are rated by."""

    pack = models.ForeignKey(PromptPack, on_delete=models.CASCADE, related_name="prompts")
    key = models.CharField(max_length=120)
    text = models.TextField(blank=True)
    laws = models.JSONField(default=list, blank=True)

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
