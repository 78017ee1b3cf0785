"""The site's own middleware, and the pages for requests that it can't answer."""

import errno
import logging
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import DatabaseError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin
from django.utils.module_loading import import_string

from benchmarks.errors import StoreAway
from benchmarks.gallery.query import NoSuchChoice, NoSuchPlace

APART = "/p/"  # participants' pages, which do without accounts
TRANSLATED = ("/t/", "/p/", "/withdraw/")  # the entry of a study, a person's own pages, and withdrawal by receipt
FOREIGN_HOST = (
    "This site is not known under the name that was asked for (the Host header).\n"
    "If it should be: its administrator adds the name to ALLOWED_HOSTS.\n"
)
WAIT = 5  # seconds after which a retry makes sense
# SQLite reports these as operational errors, too.
FAULTS = ("no such", "has no column", "syntax error", "malformed", "not a database")
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
READ_ONLY = ("readonly database", "read-only transaction")  # SQLite, PostgreSQL
BUSY_WORDS = "The site is busy. Ask again in {} seconds."
READ_ONLY_WORDS = "The site can only be read just now; nothing was stored. Ask again in {} seconds."
GetResponse = Callable[[HttpRequest], HttpResponseBase]

log = logging.getLogger(__name__)


class AccountsOnly:
    """Runs `settings.ACCOUNT_MIDDLEWARE`, the first outermost, but for participants' pages: half the cost.

    These have no session, cookie or user, and the audit log does not contain what staff do on them.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = self.with_accounts = get_response
        for name in reversed(settings.ACCOUNT_MIDDLEWARE):
            self.with_accounts = import_string(name)(self.with_accounts)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_apart = request.path_info.startswith(APART)
        return self.get_response(request) if is_apart else self.with_accounts(request)


class OwnHosts(MiddlewareMixin):
    """Answers 400 for a foreign host name, before any page, file or rate limit; counted but not logged line by line."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        try:
            request.get_host()
        except DisallowedHost:
            return _refused()
        return None


def _refused() -> HttpResponse:
    response = HttpResponseBadRequest(FOREIGN_HOST, content_type="text/plain; charset=utf-8")
    response._has_been_logged = True  # type: ignore[attr-defined]  # otherwise anybody could fill the log
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


class OneLanguage(LocaleMiddleware):
    """Uses the reader's language on participants' pages and English elsewhere, so that no page mixes languages."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path.startswith(TRANSLATED):
            super().process_request(request)
            return
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = settings.LANGUAGE_CODE

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path.startswith(TRANSLATED):
            return super().process_response(request, response)
        response.headers.setdefault("Content-Language", settings.LANGUAGE_CODE)
        return response


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for 404; a reason is shown only if it was written for readers."""
    reason = str(exception) if isinstance(exception, NoSuchChoice) else ""
    answers_plainly = reason and request.GET and not isinstance(exception, NoSuchPlace)
    return render(request, "404.html", {"reason": reason, "back": request.path if answers_plainly else ""}, status=404)


class ButtonsAddress(MiddlewareMixin):
    """Explains to a visitor who opens a POST-only URL, for example after signing in, that nothing was done."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.status_code != 405 or request.method != "GET" or request.path.startswith(("/api/", "/p/")):
            return response
        page = render(request, "405.html", {"back": page_above(request.path)}, status=405)
        page.headers["Allow"] = response.headers.get("Allow", "POST")
        return page


def page_above(path: str) -> str:
    """The nearest parent URL known to the site: the page with the button."""
    while path.strip("/"):
        path = path.rstrip("/").rpartition("/")[0] + "/"
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return "/"


class Unavailable(MiddlewareMixin):
    """Answers 503 with Retry-After if a view could not reach or write to the database, the media store or the disk.

    The client can repeat the request without loss.
    """

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        read_only = is_read_only(exception)
        if not read_only and not is_passing(exception):
            return None
        # Not the path: it may contain a participant's token.
        log.warning("busy or away: %s", getattr(exception, "strerror", None) or exception)
        response = _unavailable_page(request, read_only=read_only)
        response.headers["Retry-After"] = str(WAIT)
        response.headers["Cache-Control"] = "no-store"
        return response


def is_passing(error: BaseException) -> bool:
    """Whether the failure may pass by itself, because neither the caller nor the site caused it."""
    if isinstance(error, OperationalError):
        return not any(fault in str(error) for fault in FAULTS)
    return isinstance(error, StoreAway) or (isinstance(error, OSError) and error.errno in NO_ROOM)


def is_read_only(error: BaseException) -> bool:
    """Whether a write failed because the database is read-only; PostgreSQL's driver reports an internal error then."""
    return isinstance(error, DatabaseError) and any(words in str(error) for words in READ_ONLY)


def _unavailable_page(request: HttpRequest, *, read_only: bool) -> HttpResponse:
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        words = READ_ONLY_WORDS if read_only else BUSY_WORDS
        return JsonResponse({"detail": words.format(WAIT)}, status=503)
    return render(request, "503.html", {"seconds": WAIT, "read_only": read_only}, status=503)
