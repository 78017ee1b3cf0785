"""Benchmarks that are a file: the text of benchmark.toml as it was imported."""

from django.db import models


class BenchmarkFile(models.Model):
    """One benchmark.toml, and the values of facets that it leaves to its questions."""

    slug = models.SlugField(max_length=40, unique=True)
    text = models.TextField()
    found = models.JSONField(default=dict)  # facet -> values among the questions, sorted
    sha256 = models.CharField(max_length=64)  # of text and values
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.slug
