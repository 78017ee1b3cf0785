"""The base class of answers by models and people."""

from django.db import models


class Response(models.Model):
    """One answerer's verbatim answer to one item. Written once."""

    raw = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
