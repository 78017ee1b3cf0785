"""What belongs to the site's state, and what does not."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import models

# Who was signed in where, and how often somebody guessed: people sign in again, and nobody gains by a stolen file.
LEFT_OUT = frozenset({
    "sessions.Session", "axes.AccessAttempt", "axes.AccessAttemptExpiration", "axes.AccessFailureLog",
    "axes.AccessLog", "benchsite.Maintenance",
})  # fmt: skip
# Filled by Django itself wherever tables are made: no sign that somebody uses them.
OF_DJANGO = frozenset({"contenttypes.ContentType", "auth.Permission"})


def tables(registry: Any = apps) -> list[type[models.Model]]:
    """Every table with state in it, those of many-to-many fields too, in one order."""
    every: Iterable[type[models.Model]] = registry.get_models(include_auto_created=True)
    kept = [one for one in every if one._meta.managed and not one._meta.proxy and one._meta.label not in LEFT_OUT]
    return sorted(kept, key=lambda one: one._meta.label)


def columns(model: type[models.Model]) -> list[models.Field]:
    return list(model._meta.local_concrete_fields)
