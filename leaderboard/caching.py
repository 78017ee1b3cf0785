"""Rendered bodies, kept by what they show: the view, the language and the version of everything beneath."""

import hashlib
from collections.abc import Callable

from django.core.cache import cache
from django.db.models import Count, Max
from django.utils.translation import get_language

from benchmarks.models import Pack, Production
from leaderboard.models import Standing

SECONDS = 600


def version_of(slug: str) -> str:
    """Changes whenever a board of this benchmark could; three short queries."""
    parts = (
        Standing.objects.filter(pack__benchmark=slug).aggregate(Max("computed_at"), Count("pk")),
        Pack.objects.filter(benchmark=slug).aggregate(Max("pk"), Count("pk")),
        Production.objects.filter(benchmark=slug).aggregate(Max("updated_at"), Count("pk")),
    )
    return "|".join(str(value) for part in parts for value in part.values())


def hint_of(slug: str) -> str:
    """The same in a few letters, as an open page hears it."""
    return short(version_of(slug))


def short(version: str) -> str:
    return hashlib.sha256(version.encode()).hexdigest()[:16]


def kept(what: str, *, version: str, make: Callable[[], str]) -> str:
    """The kept body of this page, else a fresh one."""
    words = "\n".join((what, version, get_language() or ""))
    key = "body:" + hashlib.sha256(words.encode()).hexdigest()
    body = cache.get(key)
    if body is None:
        body = make()
        cache.set(key, body, SECONDS)
    return body
