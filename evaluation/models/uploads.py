"""The queue of uploads, which a separate process checks one by one."""

from django.conf import settings
from django.db import models
from django.urls import reverse

from benchmarks.leasing import Leased


class UploadFlag(models.Model):
    """Something in a submission that staff should examine before deciding; never shown to anybody else."""

    run = models.ForeignKey("evaluation.Run", on_delete=models.CASCADE, related_name="flags")
    code = models.CharField(max_length=20)  # see submissions/listing/integrity.py
    what = models.CharField(max_length=300)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "code"], name="one_flag_a_code")]

    def __str__(self) -> str:
        return self.what


class UploadState(models.TextChoices):
    WAITING = "waiting"
    CHECKING = "checking"
    STORED = "stored"  # it is stored as a submission
    CHECKED = "checked"  # it could be stored, and was sent to learn that alone
    REFUSED = "refused"  # it has problems, listed in its report
    FAILED = "failed"  # it can't or may not be stored: see `reason`


class Upload(Leased):
    """A received file; the file itself is deleted once it is checked."""

    WAITS, HELD = UploadState.WAITING, UploadState.CHECKING

    key = models.CharField(max_length=32, unique=True)  # unguessable; pages show it only to the sender
    # Without an owner, whose account was deleted, the sweep deletes the row with its file and report.
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="uploads")
    name = models.CharField(max_length=200)  # the file name, as the sender gave it
    header = models.JSONField(default=dict)  # the form fields sent with the file
    only_check = models.BooleanField(default=False)  # it is to be linted, and nothing to be stored
    state = models.CharField(max_length=8, choices=UploadState.choices, default=UploadState.WAITING)
    reason = models.CharField(max_length=300, blank=True)
    report = models.CharField(max_length=32, blank=True)  # key of the report on a refused or checked file
    run = models.ForeignKey("evaluation.Run", null=True, on_delete=models.SET_NULL, related_name="+")
    rows = models.PositiveIntegerField(default=0)  # valid rows read so far
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["state"], name="uploads_by_state")]

    def __str__(self) -> str:
        return f"upload {self.pk}: {self.state}"

    def get_absolute_url(self) -> str:
        return reverse("upload", args=[self.key])
