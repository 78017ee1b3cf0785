"""Users, their tokens, and what staff did."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.roles import RIGHTS, Rights, Role


class User(AbstractUser):
    """Somebody who signs in; `role` says what for."""

    role = models.CharField(max_length=10, choices=Role.choices, default=Role.SUBMITTER)

    @property
    def rights(self) -> Rights:
        """A superuser may do what an admin may, and more; `createsuperuser` asks for no role."""
        return RIGHTS[Role.ADMIN if self.is_superuser else Role(self.role)]

    def take_role(self, role: str) -> None:
        """Become this; the administration opens to admins, and to superusers whatever their role. Not saved yet."""
        self.role = Role(role)
        self.is_staff = self.is_superuser or self.rights.is_staff


class Scope(models.TextChoices):
    """What a key may be used for."""

    SUBMIT = "submit", _("upload answers and ask for their listing")
    READ = "read", _("read your own submissions")


def every_scope() -> list[str]:
    return list(Scope.values)


class TokenQuerySet(models.QuerySet["Token"]):
    def live(self, plain: str) -> "Token | None":
        """The token that this is, with its user; None when it is unknown or expired, or its user switched off."""
        found = self.filter(digest=digest_of(plain), expires_at__gt=timezone.now(), user__is_active=True)
        return found.select_related("user").first()

    def owner_of(self, plain: str) -> User | None:
        """The user whose live token this is, or None."""
        token = self.live(plain)
        return token.user if token else None


class Token(models.Model):
    """A key for the API. Only its digest is kept."""

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
        """Remember when it was last used, to the minute: a busy key need not write at every call."""
        now = timezone.now()
        unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - timedelta(minutes=1))
        Token.objects.filter(unnoted, pk=self.pk).update(last_used_at=now)


class Act(models.Model):
    """Something that a member of staff did. Rows are added by `auditing.py` and never changed or deleted."""

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="acts")
    username = models.CharField(max_length=150)  # stays when the account goes
    what = models.CharField(max_length=80)  # the page's name, e.g. decide-submission
    path = models.CharField(max_length=200)
    details = models.JSONField(default=dict, blank=True)  # the choices that were sent, see auditing.TOLD
    status = models.PositiveSmallIntegerField()  # what was answered: 400 and above was refused

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.username}: {self.what}"


def digest_of(plain: str) -> str:
    """SHA-256 of a token; tokens are 256 random bits, so no salt is needed."""
    return hashlib.sha256(plain.encode()).hexdigest()


def new_token(*, user: User, name: str, days: int = 90, scopes: list[str] | None = None) -> str:
    """Make a token and give its plain text, the only time it can be seen. Without `scopes` it is good for all."""
    plain = secrets.token_urlsafe(32)
    Token.objects.create(
        user=user, name=name, digest=digest_of(plain), scopes=every_scope() if scopes is None else scopes,
        expires_at=timezone.now() + timedelta(days=days),
    )  # fmt: skip
    return plain
