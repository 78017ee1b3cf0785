"""Benchmarks that are a file: the imported text of benchmark.toml."""

from django.db import models


class BenchmarkFile(models.Model):
    """One benchmark.toml, and the facet values that it leaves to its questions."""

    slug = models.SlugField(max_length=40, unique=True)
    text = models.TextField()
    found = models.JSONField(default=dict)  # facet -> sorted values in the questions
    sha256 = models.CharField(max_length=64)  # of text and values
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.slug
