"""Cache versions of boards, and the addresses under which their pages are cached."""

import hashlib
import time
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.dispatch import receiver
from django.http import HttpRequest

from benchmarks.gallery.page_cache import version_of_sight
from benchmarks.models import Pack, Production
from humantrials.models import Trial
from leaderboard.board.page_parts import REGISTERED
from leaderboard.board.query import STATE
from leaderboard.models import PublishedResult, Standing
from leaderboard.standings.refresh import standings_refreshed

GLANCE = 0.2  # seconds for which a process reuses the last version it read


_seen: dict[str, tuple[float, str]] = {}  # slug -> time of this process's last query, and its version


def version_of(slug: str) -> str:
    """Changes with each change to a board of this benchmark (slug "": of any) or to extensions' work; one query."""
    tables = (Standing, Pack, Production, PublishedResult)
    standing, pack, production, result = (model._meta.db_table for model in tables)
    own = "WHERE benchmark = %s" if slug else ""
    packs = f"WHERE pack_id IN (SELECT id FROM {pack} {own})" if slug else ""  # noqa: S608  # table name # nosec B608
    query = f"""SELECT * FROM
        (SELECT MAX(computed_at), COUNT(*) FROM {standing} {packs}) AS standings,
        (SELECT MAX(id), COUNT(*) FROM {pack} {own}) AS packs,
        (SELECT MAX(updated_at), COUNT(*) FROM {production} {own}) AS made,
        (SELECT MAX(updated_at), COUNT(*) FROM {result} {own}) AS later"""  # noqa: S608  # table names # nosec B608
    with connection.cursor() as cursor:
        cursor.execute(query, [slug] * 4 if slug else [])
        return "|".join(map(str, (*cursor.fetchone(), *(parts.version() for parts in REGISTERED))))


def has_rows(version: str) -> bool:
    """Whether the boards of this version have a row that was computed here."""
    return version.split("|")[1] != "0"


def version_of_items() -> str:
    """Changes with every board, and whenever items, clips or people's answers become visible or hidden."""
    studies = Trial.objects.order_by("pk").values_list("pk", "state", "is_simulated", "answers_version")
    return "|".join((recent_version(""), version_of_sight(), *map(str, studies)))


def recent_version(slug: str) -> str:
    """The version, cached for 0.2 s per process; while one thread refreshes it the others use the old value."""
    read_at, version = _seen.get(slug, (-GLANCE, ""))
    if time.monotonic() < read_at + GLANCE:
        return version
    if version:
        _seen[slug] = (time.monotonic(), version)  # other threads meanwhile use the old value
    read_at = time.monotonic()  # before the query, so that its result is not used for longer
    version = version_of(slug)
    _seen[slug] = (read_at, version)
    return version


@receiver(standings_refreshed)
def forget_versions(**kwargs: Any) -> None:
    """Clear the process's cached versions, so that a user who changes a board sees the change at once."""
    _seen.clear()


def hint_of(slug: str) -> str:
    """The version as a short hash, as open pages receive it."""
    return short(version_of(slug))


def short(version: str) -> str:
    return hashlib.sha256(version.encode()).hexdigest()[:16]


def address_of(request: HttpRequest) -> str:
    """Path and known parameters of the request: unknown ones must not fill the cache."""
    return (
        request.path + "?" + urlencode({name: request.GET.getlist(name) for name in STATE if name in request.GET}, True)
    )
