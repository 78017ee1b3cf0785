"""Cache for parts of public pages, keyed by name and version of their data."""

import hashlib
import zlib
from collections.abc import Callable
from typing import TypeVar, cast

from django.core.cache import cache
from django.db.models import Count, Max
from django.utils.safestring import mark_safe

from benchmarks.disclosure.seals import version_of_seals
from benchmarks.models import Clip, Pack, Rendition

Value = TypeVar("Value")

SECONDS = 600
FAST = 1  # compression level; higher ones cost several times as much and save only a tenth


def cached_body(what: str, *, version: str, make: Callable[[], str]) -> str:
    """The cached body of this page; a missing one is made by `make` and cached."""
    key = key_of("body", what, version)
    packed = cache.get(key)
    if packed is not None:
        return mark_safe(zlib.decompress(packed).decode())  # noqa: S308  # our own template made it # nosec B308, B703
    body = make()
    cache.set(key, zlib.compress(body.encode(), FAST), SECONDS)
    return body


def cached_value(what: str, *, version: str, make: Callable[[], Value]) -> Value:
    """The cached chart or table of this name; a missing one is made by `make` and cached."""
    return cast("Value", cache.get_or_set(key_of("value", what, version), make, SECONDS))


def key_of(*words: str) -> str:
    return f"{words[0]}:" + hashlib.sha256("\n".join(words).encode()).hexdigest()


def version_of_sight() -> str:
    """A value that changes whenever items or clips become visible or hidden; two short queries."""
    gone = Clip.objects.exclude(withdrawn_at=None).aggregate(Count("pk"), Max("withdrawn_at"))
    return "|".join(map(str, (version_of_seals(), *gone.values())))


def version_of_packs() -> str:
    """A value that changes whenever the packs of any benchmark or their visibility change."""
    packs = Pack.objects.aggregate(Count("pk"), Max("pk"))
    files = Rendition.objects.aggregate(Max("pk"))
    return "|".join(map(str, (*packs.values(), *files.values(), version_of_sight())))
