"""Rendered bodies, kept by what they show: the view, the language and the version of everything beneath."""

import hashlib
import time
import zlib
from collections.abc import Callable
from urllib.parse import urlencode

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from benchmarks.models import Pack, Production
from leaderboard.address import STATE
from leaderboard.models import Standing

SECONDS = 600
GLANCE = 0.2  # seconds for which a process believes what it last saw of a version
FAST = 1  # levels above it cost several times as much and save a tenth


_seen: dict[str, tuple[float, str]] = {}  # slug -> when this process asked, and what it was told


def version_of(slug: str) -> str:
    """Changes whenever a board of this benchmark could; one short query."""
    standing, pack, production = (model._meta.db_table for model in (Standing, Pack, Production))
    query = f"""SELECT * FROM
        (SELECT MAX(computed_at), COUNT(*) FROM {standing}
            WHERE pack_id IN (SELECT id FROM {pack} WHERE benchmark = %s)) AS standings,
        (SELECT MAX(id), COUNT(*) FROM {pack} WHERE benchmark = %s) AS packs,
        (SELECT MAX(updated_at), COUNT(*) FROM {production} WHERE benchmark = %s) AS made"""  # noqa: S608  # table names # nosec B608
    with connection.cursor() as cursor:
        cursor.execute(query, [slug] * 3)
        return "|".join(map(str, cursor.fetchone()))


def recent_version(slug: str) -> str:
    """The same as it was a fifth of a second ago, and however long the database takes to say: one asks for all."""
    asked_at, version = _seen.get(slug, (-GLANCE, ""))
    if time.monotonic() < asked_at + GLANCE:
        return version
    if version:
        _seen[slug] = (time.monotonic(), version)  # who comes meanwhile goes on with what is known
    return newest_version(slug)


def newest_version(slug: str) -> str:
    """As the database has it now, for others of this process to go on with."""
    asked_at = time.monotonic()  # before the question, so that no answer is believed for longer
    version = version_of(slug)
    _seen[slug] = (asked_at, version)
    return version


def forget_versions() -> None:
    """Who has just changed a board sees it so at once."""
    _seen.clear()


def hint_of(slug: str) -> str:
    """The same in a few letters, as an open page hears it."""
    return short(version_of(slug))


def short(version: str) -> str:
    return hashlib.sha256(version.encode()).hexdigest()[:16]


def kept(what: str, *, version: str, make: Callable[[], str]) -> str:
    """The kept body of this page, else a fresh one."""
    key = key_of("body", what, version, get_language() or "")
    packed = cache.get(key)
    if packed is not None:
        return mark_safe(zlib.decompress(packed).decode())  # noqa: S308  # our own template made it # nosec B308, B703
    body = make()
    cache.set(key, zlib.compress(body.encode(), FAST), SECONDS)
    return body


def address_of(request: HttpRequest) -> str:
    """Path and the parameters that mean something, so that others don't fill the cache."""
    return request.path + "?" + urlencode({name: request.GET[name] for name in STATE if name in request.GET})


def key_of(*words: str) -> str:
    return f"{words[0]}:" + hashlib.sha256("\n".join(words).encode()).hexdigest()
