"""Users and their tokens."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone


class User(AbstractUser):
    """Somebody who signs in: a submitter, an author or a member of staff."""


class TokenQuerySet(models.QuerySet["Token"]):
    def owner_of(self, plain: str) -> User | None:
        """The user whose live token this is, or None."""
        token = self.filter(digest=digest_of(plain), expires_at__gt=timezone.now()).select_related("user").first()
        return token.user if token and token.user.is_active else None


class Token(models.Model):
    """A key for the API. Only its digest is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    objects = TokenQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


def digest_of(plain: str) -> str:
    """SHA-256 of a token; tokens are 256 random bits, so no salt is needed."""
    return hashlib.sha256(plain.encode()).hexdigest()


def new_token(*, user: User, name: str, days: int = 90) -> str:
    """Make a token and give its plain text, the only time it can be seen."""
    plain = secrets.token_urlsafe(32)
    expires = timezone.now() + timedelta(days=days)
    Token.objects.create(user=user, name=name, digest=digest_of(plain), expires_at=expires)
    return plain
