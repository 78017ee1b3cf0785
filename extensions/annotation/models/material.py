"""Clips gathered for annotation: the uploaded files, the clips cut from them, and the decision on each."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse

from benchmarks.leasing import Leased
from benchmarks.models.packs import Pack
from benchmarks.models.productions import Production, ProductionState

LAYOUT = "pacs"  # the benchmark that gives the data set its layout and media policy
SHORTEST_ALLOWED = [MinValueValidator(1.0), MaxValueValidator(5.0)]  # below a second there is too little sound to judge


class Material(models.Model):
    """A set of clips for annotation; it does not change once its pack is made."""

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    seed = models.PositiveIntegerField(default=0)
    # Seconds; a shorter file, shot or clip is left out. PACS took 4.
    shortest = models.FloatField(default=4.0, db_default=4.0, validators=SHORTEST_ALLOWED)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    pack = models.OneToOneField(Pack, null=True, blank=True, on_delete=models.PROTECT)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("material", args=[self.slug])

    @property
    def production(self) -> Production | None:
        """The production of its pack, or None if nobody has ordered it."""
        return Production.objects.filter(benchmark=LAYOUT, pack_name=self.slug).first()

    @property
    def is_closed(self) -> bool:
        """Whether its pack is made or being made, after which it can't change."""
        made = self.production
        return self.pack_id is not None or bool(made and made.state != ProductionState.FAILED)


class FileState(models.TextChoices):
    WAITING = "waiting", "waits for a worker"
    READING = "reading", "is being read"
    READ = "read", "read"
    REFUSED = "refused", "refused"


class MaterialFile(Leased):
    """An uploaded video. The file is below MEDIA_ROOT/material until it is read; its clips replace it there."""

    WAITS, HELD = FileState.WAITING, FileState.READING

    material = models.ForeignKey(Material, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=200)  # the uploader's file name
    place = models.CharField(max_length=32, unique=True)  # name of its folder
    sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=FileState.choices, default=FileState.WAITING)
    problem = models.CharField(max_length=300, blank=True)
    doing = models.CharField(max_length=40, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(null=True, blank=True)
    fps = models.FloatField(null=True, blank=True)
    frames = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["material", "sha256"], name="one_file_once_a_material")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        return self.state in (FileState.WAITING, FileState.READING)


class MaterialClip(models.Model):
    """A candidate clip for annotation; the rules keep it unless it has `reasons`, each [code, sentence]."""

    file = models.ForeignKey(MaterialFile, on_delete=models.CASCADE, related_name="clips")
    number = models.PositiveIntegerField()  # within its file; also the name of its stored files
    start = models.FloatField()  # seconds in the file
    end = models.FloatField()
    shot = models.PositiveIntegerField()
    seconds = models.FloatField()  # of the clip's own file
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    heard = models.JSONField(default=dict)  # shares: talking, silence, music, other
    reasons = models.JSONField(default=list)

    class Meta:
        ordering = ["file", "number"]
        constraints = [
            models.UniqueConstraint(fields=["file", "number"], name="one_material_clip_a_number"),
            models.CheckConstraint(condition=models.Q(end__gt=models.F("start")), name="a_clip_takes_time"),
        ]

    def __str__(self) -> str:
        return f"{self.file.name} {self.start:.2f}–{self.end:.2f} s"

    @property
    def decision(self) -> "MaterialDecision | None":
        """The latest decision, or None; reads the prefetched decisions."""
        return next(iter(sorted(self.decisions.all(), key=lambda one: -one.pk)), None)

    @property
    def is_kept(self) -> bool:
        """Whether the latest decision keeps it, or the rules if nobody decided."""
        return self.decision.keeps if self.decision else not self.reasons


class MaterialDecision(models.Model):
    """A person's decision on a clip, which overrides the rules; undo removes the latest one."""

    clip = models.ForeignKey(MaterialClip, on_delete=models.CASCADE, related_name="decisions")
    keeps = models.BooleanField()
    reason = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(keeps=True) | ~models.Q(reason=""), name="dropping_has_a_reason")
        ]

    def __str__(self) -> str:
        return f"{'kept' if self.keeps else 'dropped'}: {self.clip_id}"
