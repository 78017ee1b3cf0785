"""The videos of a pack, and the served forms of each."""

from django.db import models
from django.urls import reverse

from benchmarks.models.packs import Pack


class Clip(models.Model):
    """One video of a pack. `key` is official and reveals the answer: only staff and official exports show it."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="clips")
    key = models.CharField(max_length=120)
    sha256 = models.CharField(max_length=64)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    fps = models.FloatField()
    frames = models.PositiveIntegerField()
    seconds = models.FloatField()
    facts = models.JSONField(default=dict, blank=True)  # profile, seed, index and parameters of a generated clip
    trajectory = models.CharField(max_length=200, blank=True)  # below MEDIA_ROOT, never served directly
    problem = models.CharField(max_length=200, blank=True)  # why it can't be displayed or asked about
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal_note = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["pack", "key"], name="one_clip_a_key")]

    def __str__(self) -> str:
        return f"{self.pack}: clip {self.pk}"

    def rendition(self, kind: str) -> "Rendition | None":
        """The stored file of this kind; reads the prefetched renditions."""
        return next((rendition for rendition in self.renditions.all() if rendition.kind == kind), None)

    @property
    def displayed_file(self) -> "Rendition | None":
        """The file for pages and exports: the video, or the picture if the clip is a single picture."""
        return self.rendition(RenditionKind.ORIGINAL) or self.rendition(RenditionKind.PICTURE)

    @property
    def picture(self) -> "Rendition | None":
        """The file of a clip that is a single picture; for templates."""
        return self.rendition(RenditionKind.PICTURE)


class RenditionKind(models.TextChoices):
    ORIGINAL = "original"  # the clip in its one form, for people and models alike
    PICTURE = "picture"  # replaces `original` if the clip is a single still picture
    MUTED = "muted"
    SILENT = "silent"  # has a silent audio track; `muted` has no audio track
    POSTER = "poster"
    MIDDLE_FRAME = "midframe"
    FRAME_WITH_BOX = "frame-box"
    SQUARE_CROP = "square-crop"
    CROP_WITH_BOX = "crop-box"
    SOUND_16000 = "audio-16000"  # mono WAV at this many Hz
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
