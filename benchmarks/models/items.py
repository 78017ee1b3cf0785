"""Items: questions with their clips and facets. Their answers are in a table of their own: see `answers.py`."""

from collections.abc import Collection
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.urls import reverse

from benchmarks.definitions.definition import Benchmark, StrategyName, narrowest
from benchmarks.models.clips import Clip
from benchmarks.models.packs import Pack
from benchmarks.models.public_ids import new_public_id


class AnswerKind(models.TextChoices):
    YES_NO = "yes-no"
    LABEL = "label"
    FREE = "free"
    NUMBER = "number"
    MOMENT = "moment"
    RATING = "rating"
    PAIR = "pair"


# Without an expected answer: nothing is withheld, and nothing scored by comparison.
OPEN_KINDS = (AnswerKind.FREE, AnswerKind.RATING, AnswerKind.PAIR)


class ItemQuerySet(models.QuerySet["Item"]):
    def in_split(self, split: str) -> "ItemQuerySet":
        return self.filter(facets__name="split", facets__value=split)

    def with_facet(self, name: str, value: str) -> "ItemQuerySet":
        return self.filter(pk__in=ItemFacet.objects.filter(name=name, value=value).values("item_id"))

    def for_strategy(self, benchmark: Benchmark, strategy: StrategyName) -> "ItemQuerySet":
        """Items that this strategy applies to."""
        found = self.filter(kind__in=strategy.kinds)
        return found.with_facet("level", strategy.level) if benchmark.tells_by_level(strategy) else found

    def askable(self, at: datetime | None = None) -> "ItemQuerySet":
        """Items whose clips can all be displayed, or could at that time; items without a clip are included."""
        gone = Q(media__clip__withdrawn_at__lte=at) if at else Q(media__clip__withdrawn_at__isnull=False)
        return self.exclude(gone).exclude(media__clip__problem__gt="")

    def without_needed_clips(self, kinds: Collection[str]) -> "ItemQuerySet":
        """Items of these kinds that lack their clips because the release does."""
        return self.filter(kind__in=kinds, media__isnull=True)

    def withdrawn(self) -> "ItemQuerySet":
        """Items with a withdrawn clip."""
        return self.filter(pk__in=ItemMedia.objects.filter(clip__withdrawn_at__isnull=False).values("item"))


class Item(models.Model):
    """One question. `public_id` is random and public; `key` is official and reveals the answer."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)  # question kind: binary, open, plausibility, text
    variant = models.CharField(max_length=20, blank=True)
    public_id = models.CharField(max_length=12, default=new_public_id, editable=False)
    # Runs and studies sample by this key, and replies name their example by it; it is never shown. If the release
    # contains the answer, the key is a hash of the content, so that every site draws the same sample; otherwise it is
    # random.
    draw_key = models.CharField(max_length=12, unique=True, default=new_public_id, editable=False)
    text = models.TextField()
    lead_in = models.TextField(blank=True)  # the first question of chain-of-thought
    answer_kind = models.CharField(max_length=12, choices=AnswerKind.choices)
    options = models.JSONField(default=list)

    # Questions that are scored together: the group, the place in it from 1, and its rule. A group's name may reveal
    # answers.
    group = models.CharField(max_length=120, blank=True, default="", db_default="")
    place = models.PositiveSmallIntegerField(default=0, db_default=0)
    rule = models.CharField(max_length=10, blank=True, default="", db_default="")

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ["public_id"]
        constraints = [
            models.UniqueConstraint(fields=["pack", "key", "kind", "variant"], name="one_item_a_key"),
            models.UniqueConstraint(fields=["public_id"], name="one_item_a_public_id"),
        ]

    def __str__(self) -> str:
        return self.public_id

    def get_absolute_url(self) -> str:
        return reverse("item", args=[self.pack.benchmark, self.public_id])

    def facet_values(self, name: str) -> list[str]:
        """Values of this facet, in order; reads the prefetched facets."""
        return sorted(facet.value for facet in self.facets.all() if facet.name == name)

    @property
    def own_test(self) -> str:
        """The most specific of its tests: an ordering item has that of its scene and that of all orderings."""
        return narrowest(self.facet_values("test"))

    @property
    def pictures(self) -> list[Clip]:
        """The still pictures of a question about an image sequence, in order; reads the prefetched media."""
        return [media.clip for media in self.media.all() if media.role == "image" and media.clip.picture]

    @property
    def clip(self) -> Clip | None:
        """The item's first clip, or None."""
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
    """A clip of a two-clip item with the other clip's sound; it belongs to the item, as it depends on both clips."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="flipped")
    position = models.PositiveSmallIntegerField()  # position of the clip with the images
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


class Response(models.Model):
    """One answerer's verbatim answer to one item. Written once."""

    raw = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
