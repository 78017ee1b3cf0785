"""Secrets of this installation."""

from django.db import models


class Key(models.Model):
    """A secret that this installation made for itself: ids of hidden items, digests of external ids."""

    name = models.CharField(max_length=40, unique=True)
    secret = models.BinaryField()

    def __str__(self) -> str:
        return self.name
