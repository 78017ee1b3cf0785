"""Packs, clips and items: what is asked. Also what an answer is, whoever gives it."""

from collections.abc import Collection

from django.db import models
from django.urls import reverse


class Origin(models.TextChoices):
    OFFICIAL = "official"
    GENERATED = "generated"


RATING = "rating"  # profile of a pack of questions about answers, and the kind of these questions


class PackQuerySet(models.QuerySet["Pack"]):
    def on_boards(self) -> "PackQuerySet":
        """Packs whose questions are the benchmark's own: not those in which people rate answers."""
        return self.exclude(profile=RATING)


class Pack(models.Model):
    """One body of items. Its content never changes: the manifest hash stands for all of it."""

    benchmark = models.SlugField(max_length=40)
    name = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    origin = models.CharField(max_length=12, choices=Origin.choices)
    profile = models.CharField(max_length=20, blank=True)
    definition_version = models.CharField(max_length=20)
    manifest_hash = models.CharField(max_length=64)
    problems = models.JSONField(default=list)  # [{"where", "what"}] as the import reported them
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


class PackFile(models.Model):
    """A file of the release that the pack was made of; a table of its own, so that reading a pack reads no list."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="files")
    path = models.CharField(max_length=200)  # the official one
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pack", "path"], name="one_file_a_path")]

    def __str__(self) -> str:
        return self.path


class Clip(models.Model):
    """One video of a pack. `key` is official and tells the answer: staff and official exports alone show it."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="clips")
    key = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    fps = models.FloatField()
    frames = models.PositiveIntegerField()
    seconds = models.FloatField()
    facts = models.JSONField(default=dict, blank=True)  # profile, seed, index and parameters of a made clip
    trajectory = models.CharField(max_length=200, blank=True)  # below MEDIA_ROOT, never served as such
    problem = models.CharField(max_length=200, blank=True)  # why it can't be shown or asked
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal_note = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pack", "key"], name="one_clip_a_key")]

    def __str__(self) -> str:
        return f"{self.pack}: clip {self.pk}"

    def rendition(self, kind: str) -> "Rendition | None":
        """The stored file of this kind; reads the prefetched ones."""
        return next((rendition for rendition in self.renditions.all() if rendition.kind == kind), None)

    @property
    def shown(self) -> "Rendition | None":
        """The file that pages show and exports hold: the video, or the picture of a clip that is one picture."""
        return self.rendition(RenditionKind.ORIGINAL) or self.rendition(RenditionKind.PICTURE)

    @property
    def picture(self) -> "Rendition | None":
        """For templates: the file of a clip that is one picture."""
        return self.rendition(RenditionKind.PICTURE)


class RenditionKind(models.TextChoices):
    SOURCE = "source"  # the imported file, never served; only where `original` had to be re-encoded
    ORIGINAL = "original"
    PICTURE = "picture"  # of a clip that is a single still picture, in place of `original`
    MUTED = "muted"
    SILENT = "silent"  # with a sound that is silence, unlike `muted`, which has none
    POSTER = "poster"
    MIDDLE_FRAME = "midframe"
    FRAME_WITH_BOX = "frame-box"
    SQUARE_CROP = "square-crop"
    CROP_WITH_BOX = "crop-box"
    SOUND_16000 = "audio-16000"  # mono WAV at so many Hz
    SOUND_21992 = "audio-21992"
    SOUND_44100 = "audio-44100"


class Rendition(models.Model):
    """One served form of a clip, under an opaque name, padded to its pack's size class."""

    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="renditions")
    kind = models.CharField(max_length=12, choices=RenditionKind.choices)
    name = models.CharField(max_length=40, unique=True)  # opaque; the file is MEDIA_ROOT/clips/<name>
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["clip", "kind"], name="one_rendition_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("media", args=[self.name])


class AnswerKind(models.TextChoices):
    YES_NO = "yes-no"
    LABEL = "label"
    FREE = "free"


class ItemQuerySet(models.QuerySet["Item"]):
    def in_split(self, split: str) -> "ItemQuerySet":
        return self.filter(facets__name="split", facets__value=split)

    def with_facet(self, name: str, value: str) -> "ItemQuerySet":
        return self.filter(pk__in=ItemFacet.objects.filter(name=name, value=value).values("item_id"))

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


class ProductionState(models.TextChoices):
    WAITING = "waiting"
    MAKING = "making"
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"


class Production(models.Model):
    """A pack being made: what pages show while its clips arrive."""

    benchmark = models.SlugField(max_length=40)
    pack_name = models.SlugField(max_length=60)
    state = models.CharField(max_length=12, choices=ProductionState.choices, default=ProductionState.WAITING)
    note = models.CharField(max_length=200, blank=True)
    clips_done = models.PositiveIntegerField(default=0)
    clips_total = models.PositiveIntegerField(default=0)
    order = models.JSONField(default=dict, blank=True)  # what was queued: see `benchmarks.queueing.Order`
    started_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["benchmark", "pack_name"], name="one_production_a_pack")]

    def __str__(self) -> str:
        return f"{self.benchmark}/{self.pack_name}: {self.state}"

    @property
    def is_open(self) -> bool:
        return self.state not in (ProductionState.DONE, ProductionState.FAILED)


class ProductionBatch(models.Model):
    """A few clips of a queued production, made by one worker; `clips_done` only tells how many of them stand."""

    production = models.ForeignKey(Production, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    clips_done = models.PositiveIntegerField(default=0)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["production", "number"], name="one_batch_a_number")]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.production_id}"


class Response(models.Model):
    """What one answerer said to one item, as it was said. Written once."""

    raw = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Key(models.Model):
    """A secret that this installation made for itself: ids of hidden items, digests of external ids."""

    name = models.CharField(max_length=40, unique=True)
    secret = models.BinaryField()

    def __str__(self) -> str:
        return self.name


# Tables in files of their own, which Django looks for here.
from benchmarks.drafts import ActivityDraft, PatternDraft  # noqa: E402, F401
