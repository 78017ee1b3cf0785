"""What an answer is, whoever gives it."""

from django.db import models


class Response(models.Model):
    """What one answerer said to one item, as it was said. Written once."""

    raw = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
