"""What is asked: a question with its clips, its facets and what keeps it out of sight."""

from collections.abc import Collection

from django.db import models
from django.urls import reverse

from benchmarks.definition import Benchmark, StrategyName
from benchmarks.models.clips import Clip
from benchmarks.models.packs import Pack


class AnswerKind(models.TextChoices):
    YES_NO = "yes-no"
    LABEL = "label"
    FREE = "free"


class ItemQuerySet(models.QuerySet["Item"]):
    def in_split(self, split: str) -> "ItemQuerySet":
        return self.filter(facets__name="split", facets__value=split)

    def with_facet(self, name: str, value: str) -> "ItemQuerySet":
        return self.filter(pk__in=ItemFacet.objects.filter(name=name, value=value).values("item_id"))

    def asked_in(self, benchmark: Benchmark, strategy: StrategyName) -> "ItemQuerySet":
        """Items that this way of asking is about."""
        found = self.filter(kind__in=strategy.kinds)
        return found.with_facet("level", strategy.level) if benchmark.tells_by_level(strategy) else found

    def askable(self) -> "ItemQuerySet":
        """Items whose clip, where there is one, can be shown."""
        return self.exclude(media__clip__withdrawn_at__isnull=False).exclude(media__clip__problem__gt="")

    def unsealed(self) -> "ItemQuerySet":
        """Items that no open study keeps out of sight, and whose answer is not withheld."""
        return self.filter(seals__isnull=True)

    def sealed(self) -> "ItemQuerySet":
        """Items that an open study keeps out of sight."""
        return self.filter(seals__isnull=False)

    def without_needed_clips(self, kinds: Collection[str]) -> "ItemQuerySet":
        """Items of these kinds, which are asked about clips, whose clips the release did not hold."""
        return self.filter(kind__in=kinds, media__isnull=True)

    def withdrawn(self) -> "ItemQuerySet":
        """Items with a clip that was taken out for good."""
        return self.filter(pk__in=ItemMedia.objects.filter(clip__withdrawn_at__isnull=False).values("item"))


class Item(models.Model):
    """One question. `public_id` fits every installation; `key` is official and tells the answer."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)  # question kind: binary, open, plausibility, text
    variant = models.CharField(max_length=20, blank=True)
    public_id = models.CharField(max_length=12, unique=True)
    text = models.TextField()
    lead_in = models.TextField(blank=True)  # what chain-of-thought asks first
    answer_kind = models.CharField(max_length=12, choices=AnswerKind.choices)
    options = models.JSONField(default=list)
    expected = models.CharField(max_length=200, null=True, blank=True)
    # What a referee is told, and the page once the answer is asked for: `pattern`, `pred`, `captions`, `truth`, …, and
    # as `next` the key of the clip that comes next.
    reference = models.JSONField(default=dict, blank=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["public_id"]
        constraints = [
            models.UniqueConstraint(fields=["pack", "key", "kind", "variant"], name="one_item_a_key"),
        ]

    def __str__(self) -> str:
        return self.public_id

    def get_absolute_url(self) -> str:
        return reverse("item", args=[self.pack.benchmark, self.public_id])

    def facet_values(self, name: str) -> list[str]:
        """Values of this facet, in order; reads the prefetched facets."""
        return sorted(facet.value for facet in self.facets.all() if facet.name == name)

    @property
    def pictures(self) -> list[Clip]:
        """The still pictures of a question about pictures in a row, in their order; reads the prefetched ones."""
        return [media.clip for media in self.media.all() if media.role == "image" and media.clip.picture]

    @property
    def clip(self) -> Clip | None:
        """The one clip of an item that has one."""
        media = next(iter(self.media.all()), None)
        return media.clip if media else None


class ItemMedia(models.Model):
    """A clip in its role on an item."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="media")
    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="uses")
    role = models.CharField(max_length=20, default="clip")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["item", "role", "position"], name="one_clip_a_place")]

    def __str__(self) -> str:
        return f"{self.role} {self.position} of {self.item_id}"


class FlippedClip(models.Model):
    """A clip of an item of two with the sound of the other; it hangs on the item, since it takes both clips."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="flipped")
    position = models.PositiveSmallIntegerField()  # of the clip whose pictures it shows
    name = models.CharField(max_length=40, unique=True)  # opaque, like a rendition's
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "position"], name="one_flipped_clip_a_place")]

    def __str__(self) -> str:
        return f"flipped {self.position} of {self.item_id}"


class ItemFacet(models.Model):
    """One value of one facet of an item. Splits are the facet named `split`."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="facets")
    name = models.CharField(max_length=20)
    value = models.CharField(max_length=60)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "name", "value"], name="a_facet_value_once")]
        indexes = [models.Index(fields=["name", "value"], name="items_by_facet")]

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


class ItemSeal(models.Model):
    """An item kept out of gallery, item pages and API while something open needs fresh eyes."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="seals")
    by = models.CharField(max_length=80)  # "trial:<slug>"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "by"], name="one_seal_a_study")]

    def __str__(self) -> str:
        return self.by
