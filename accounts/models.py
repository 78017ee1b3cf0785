"""Users, API keys and the audit log of staff."""

import hashlib
import secrets
from contextlib import suppress
from datetime import timedelta

from django.contrib.auth.models import AbstractUser
from django.db import InternalError, OperationalError, models, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.roles import RIGHTS, Rights, Role


class User(AbstractUser):
    """A user account; `role` decides what it may do."""

    role = models.CharField(max_length=10, choices=Role.choices, default=Role.SUBMITTER)

    @property
    def rights(self) -> Rights:
        """The rights of the role; a superuser has at least an admin's, because `createsuperuser` sets no role."""
        return RIGHTS[Role.ADMIN if self.is_superuser else Role(self.role)]

    def take_role(self, role: str) -> None:
        """Set role and `is_staff`, which opens the administration to admins and superusers. Does not save."""
        self.role = Role(role)
        self.is_staff = self.is_superuser or self.rights.is_staff


class Scope(models.TextChoices):
    """The permitted use of an API key."""

    SUBMIT = "submit", "upload answers and ask for their listing"
    READ = "read", "read your own submissions"


def every_scope() -> list[str]:
    return list(Scope.values)


class TokenQuerySet(models.QuerySet["Token"]):
    def live(self, plain: str) -> "Token | None":
        """The token with its user; None if it is unknown or expired, or the user is inactive."""
        found = self.filter(digest=digest_of(plain), expires_at__gt=timezone.now(), user__is_active=True)
        return found.select_related("user").first()


class Token(models.Model):
    """An API key, of which only the digest is stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=every_scope)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)

    objects = TokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"

    def note_use(self) -> None:
        """Record when the key was last used, to the minute, so that a busy key does not write on every call.

        If writing fails (full disk, read-only database), the call continues.
        """
        now = timezone.now()
        unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - timedelta(minutes=1))
        with suppress(OperationalError, InternalError), transaction.atomic():
            Token.objects.filter(unnoted, pk=self.pk).update(last_used_at=now)


class Act(models.Model):
    """An act of a member of staff. Rows are added by `audit_log.py` and never changed or deleted."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="acts")
    username = models.CharField(max_length=150)  # stays when the account is deleted
    what = models.CharField(max_length=80)  # name of the URL, e.g. decide-submission
    path = models.CharField(max_length=200)
    details = models.JSONField(default=dict, blank=True)  # the choices that were sent, see audit_log.DESCRIBED
    status = models.PositiveSmallIntegerField()  # of the response: 400 and above was refused

    class Meta:
        ordering = ["-pk"]
        verbose_name, verbose_name_plural = "entry of the audit log", "audit log"

    def __str__(self) -> str:
        return f"{self.username}: {self.what}"


def digest_of(plain: str) -> str:
    """SHA-256 of a token; tokens are 256 random bits, so no salt is needed."""
    return hashlib.sha256(plain.encode()).hexdigest()


def new_token(*, user: User, name: str, days: int = 90, scopes: list[str] | None = None) -> str:
    """Create a token and return its plain text, which is not stored. Without `scopes` it has all of them."""
    plain = secrets.token_urlsafe(32)
    Token.objects.create(
        user=user,
        name=name,
        digest=digest_of(plain),
        scopes=every_scope() if scopes is None else scopes,
        expires_at=timezone.now() + timedelta(days=days),
    )
    return plain
