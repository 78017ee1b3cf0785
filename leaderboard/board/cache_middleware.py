"""Cache of whole board pages for visitors without a cookie, who all see the same page."""

import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus

from django.core.cache import cache
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.translation import get_language_from_request

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.page_cache import FAST, SECONDS, key_of
from leaderboard.board.cache import address_of, newest_version, recent_version

BOARD = re.compile(r"/leaderboard/([-\w]+)/")


@dataclass(frozen=True)
class CachedPage:
    """A response's gzipped body and its headers."""

    packed: bytes
    headers: tuple[tuple[str, str], ...]


class WholePages:
    """Middleware that caches whole board pages by the version of their figures.

    It comes after the redirect to TLS and before sessions, language and policies, so that their changes to the page and
    its headers are cached too. Such a page holds no secret, so it may be compressed (BREACH).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        key = _key_of(request)
        if key is None:
            return self.get_response(request)
        page = cache.get(key)
        if page is None:
            response = self.get_response(request)
            if response.status_code != HTTPStatus.OK or response.cookies:
                return response
            page = CachedPage(gzip.compress(response.content, FAST, mtime=0), tuple(_headers(response, key)))
            cache.set(key, page, SECONDS)
        return _sent(request, page)


def _key_of(request: HttpRequest) -> str | None:
    """Cache key of the page, or None if it must not be cached."""
    board = BOARD.fullmatch(request.path_info)
    if board is None or request.method != "GET" or request.COOKIES or "format" in request.GET:
        return None
    if (slug := board[1]) not in BENCHMARKS:  # queries the database, for which other pages must not wait (/healthz)
        return None
    try:
        version = newest_version(slug) if _asks_for_the_newest(request) else recent_version(slug)
    except OperationalError:
        return None  # the view fails the same way, and the error is answered there
    return key_of("page", request.get_host(), address_of(request), version, get_language_from_request(request))


def _asks_for_the_newest(request: HttpRequest) -> bool:
    """Whether the reader reloaded, or an open page was notified of a change: neither may get an old version."""
    wish = request.headers.get("cache-control", "")
    return "no-cache" in wish or "max-age=0" in wish


def _headers(response: HttpResponse, key: str) -> Iterator[tuple[str, str]]:
    response["ETag"] = f'W/"{key[-32:]}"'  # weak: the same page, compressed or not
    patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
    patch_cache_control(response, no_cache=True)  # browsers may store it but must revalidate each time
    yield from ((name, value) for name, value in response.items() if name != "Content-Length")


def _sent(request: HttpRequest, page: CachedPage) -> HttpResponseBase:
    """The page as a response: gzipped if the client accepts that, 304 if it has this page already."""
    takes_gzip = "gzip" in request.headers.get("accept-encoding", "")
    response = HttpResponse(page.packed if takes_gzip else _unpacked(page.packed), headers=dict(page.headers))
    response["Content-Length"] = str(len(response.content))
    if takes_gzip:
        response["Content-Encoding"] = "gzip"
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


@lru_cache(maxsize=8)
def _unpacked(packed: bytes) -> bytes:
    return gzip.decompress(packed)
