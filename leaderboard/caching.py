"""Rendered bodies, kept by what they show: the view, the language and the version of everything beneath."""

import gzip
import hashlib
import zlib
from collections.abc import Callable
from http import HTTPStatus

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from benchmarks.models import Pack, Production
from leaderboard.models import Standing

SECONDS = 600
FAST = 1  # levels above it cost several times as much and save a tenth
OK = HTTPStatus.OK


def version_of(slug: str) -> str:
    """Changes whenever a board of this benchmark could; one short query."""
    standing, pack, production = (model._meta.db_table for model in (Standing, Pack, Production))
    query = f"""SELECT MAX(s.computed_at), COUNT(s.id),
        (SELECT MAX(id) FROM {pack} WHERE benchmark = %s), (SELECT COUNT(*) FROM {pack} WHERE benchmark = %s),
        (SELECT MAX(updated_at) FROM {production} WHERE benchmark = %s),
        (SELECT COUNT(*) FROM {production} WHERE benchmark = %s)
        FROM {standing} s JOIN {pack} p ON p.id = s.pack_id WHERE p.benchmark = %s"""  # noqa: S608, names of tables
    with connection.cursor() as cursor:
        cursor.execute(query, [slug] * 5)
        return "|".join(map(str, cursor.fetchone()))


def hint_of(slug: str) -> str:
    """The same in a few letters, as an open page hears it."""
    return short(version_of(slug))


def short(version: str) -> str:
    return hashlib.sha256(version.encode()).hexdigest()[:16]


def kept(what: str, *, version: str, make: Callable[[], str]) -> str:
    """The kept body of this page, else a fresh one."""
    key = _key("body", what, version)
    packed = cache.get(key)
    if packed is not None:
        return mark_safe(zlib.decompress(packed).decode())  # noqa: S308, as our own template made it
    body = make()
    cache.set(key, zlib.compress(body.encode(), FAST), SECONDS)
    return body


def kept_whole(request: HttpRequest, what: str, *, version: str, make: Callable[[], HttpResponse]) -> HttpResponseBase:
    """The whole page for visitors without a cookie, who all see the same; anybody else gets a fresh one.

    Kept compressed, and sent so to whoever takes it: nothing in such a page is secret. A page that its reader still
    has is not sent again.
    """
    if request.COOKIES:
        return make()
    key = _key("page", request.get_host(), what, version)
    packed = cache.get(key)
    if packed is None:
        response = make()
        if response.status_code != OK:
            return response
        packed = gzip.compress(response.content, FAST, mtime=0)
        cache.set(key, packed, SECONDS)
    return _sent(request, packed, etag=f'"{key[-32:]}"')


def _sent(request: HttpRequest, packed: bytes, *, etag: str) -> HttpResponseBase:
    takes_gzip = "gzip" in request.headers.get("accept-encoding", "")
    response = HttpResponse(packed if takes_gzip else gzip.decompress(packed))
    if takes_gzip:
        response["Content-Encoding"] = "gzip"
    response["ETag"] = f"W/{etag}"  # weak: the same page, packed or not
    patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
    patch_cache_control(response, no_cache=True)  # may be kept, and is asked for again each time
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def _key(*words: str) -> str:
    return f"{words[0]}:" + hashlib.sha256("\n".join((*words, get_language() or "")).encode()).hexdigest()
