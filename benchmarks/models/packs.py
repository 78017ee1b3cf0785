"""Packs: sets of items whose content never changes, and the release files that they came from."""

from django.db import models
from django.urls import reverse

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import BenchmarkError


class Origin(models.TextChoices):
    OFFICIAL = "official"
    GENERATED = "generated"


RATING = "rating"  # profile of a pack in which people rate answers, and the kind of its questions
MATERIAL = "material"  # profile of a pack of clips gathered for annotation, which has no questions yet


class PackQuerySet(models.QuerySet["Pack"]):
    def on_boards(self) -> "PackQuerySet":
        """Packs with the benchmark's own questions, without those in which people rate answers."""
        return self.with_questions().exclude(profile=RATING)

    def with_questions(self) -> "PackQuerySet":
        """Packs that hold questions."""
        return self.exclude(profile=MATERIAL)


class Pack(models.Model):
    """One set of items. Its content never changes; the manifest hash covers all of it."""

    benchmark = models.SlugField(max_length=40)
    name = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    origin = models.CharField(max_length=12, choices=Origin.choices)
    profile = models.CharField(max_length=20, blank=True)
    definition_version = models.CharField(max_length=20)
    manifest_hash = models.CharField(max_length=64)
    problems = models.JSONField(default=list)  # [{"where", "what"}] as reported by the import
    changes = models.JSONField(default=list)  # the same, of what the import changed in clips: "turned by 90°"
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PackQuerySet.as_manager()

    class Meta:
        ordering = ["created_at"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "name"], name="one_pack_a_name")]

    def __str__(self) -> str:
        return f"{self.benchmark}/{self.name}"

    def get_absolute_url(self) -> str:
        return f"{reverse('benchmark', args=[self.benchmark])}?pack={self.name}"

    @property
    def full_title(self) -> str:
        """Benchmark title and pack title: several benchmarks have a pack called “Official clips”."""
        benchmark = BENCHMARKS.get(self.benchmark)
        return f"{benchmark.title if benchmark else self.benchmark}: {self.title}"

    @property
    def shares_draws(self) -> bool:
        """Whether clips with different answers come from one draw and begin alike, as in all packs made here."""
        benchmark = BENCHMARKS.get(self.benchmark)
        return benchmark is not None and benchmark.draw_of is not None and self.origin == Origin.GENERATED


class PackFile(models.Model):
    """A release file of the pack; a separate table, so that loading a pack loads no file list."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="files")
    path = models.CharField(max_length=200)  # the official path
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pack", "path"], name="one_file_a_path")]

    def __str__(self) -> str:
        return self.path


def find_pack(benchmark: str, name: str | None) -> Pack:
    """The pack with this name, or without a name the only pack; BenchmarkError lists the existing ones."""
    packs = list(Pack.objects.filter(benchmark=benchmark))
    chosen = [pack for pack in packs if name in (None, pack.name)]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(pack.name for pack in packs) or "none yet"
    what = f"there is no pack {name!r}" if name else "say which pack"
    raise BenchmarkError(f"{what}; packs of {benchmark}: {names}")


class BenchmarkFile(models.Model):
    """One benchmark.toml, and the facet values that it leaves to its questions."""

    slug = models.SlugField(max_length=40, unique=True)
    text = models.TextField()
    found = models.JSONField(default=dict)  # facet -> sorted values in the questions
    sha256 = models.CharField(max_length=64)  # of text and values
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.slug
