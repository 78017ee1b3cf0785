"""Answers requests for a foreign host name before any page, file or rate limit."""

from collections.abc import Callable

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.response import HttpResponseBase

MESSAGE = (
    "This site is not known under the name that was asked for (the Host header).\n"
    "If it should be: its administrator adds the name to ALLOWED_HOSTS.\n"
)


class OwnHosts:
    """Answers 400 for any path; the request is counted but not logged line by line."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            request.get_host()
        except DisallowedHost:
            return _refused()
        return self.get_response(request)


def _refused() -> HttpResponse:
    response = HttpResponseBadRequest(MESSAGE, content_type="text/plain; charset=utf-8")
    response._has_been_logged = True  # type: ignore[attr-defined]  # otherwise anybody could fill the log
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
