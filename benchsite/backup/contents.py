"""The tables that belong to the site's state."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import models

# Sessions and failed sign-ins: people can sign in again, and a stolen backup reveals less.
LEFT_OUT = frozenset(
    {
        "sessions.Session",
        "axes.AccessAttempt",
        "axes.AccessAttemptExpiration",
        "axes.AccessFailureLog",
        "axes.AccessLog",
        "benchsite.Heartbeat",  # about processes, which differ after a restore
    }
)
# Filled by Django when it creates tables: rows in these tables do not mean that the site is in use.
OF_DJANGO = frozenset({"contenttypes.ContentType", "auth.Permission"})


def tables(registry: Any = apps) -> list[type[models.Model]]:
    """Every table with state, including many-to-many tables, ordered by label."""
    every: Iterable[type[models.Model]] = registry.get_models(include_auto_created=True)
    included = [one for one in every if one._meta.managed and not one._meta.proxy and one._meta.label not in LEFT_OUT]
    return sorted(included, key=lambda one: one._meta.label)


def columns(model: type[models.Model]) -> list[models.Field]:
    return list(model._meta.local_concrete_fields)
