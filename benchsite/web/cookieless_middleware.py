"""Serves participants' pages without the middleware for accounts: no session, cookie or signed-in user.

This halves the processor time of an answer. The audit log does not contain what staff do on these pages.
"""

from collections.abc import Callable
from typing import cast

from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.urls import Resolver404, resolve

from benchsite.web.language import OneLanguage
from benchsite.web.unavailable import Unavailable

PREFIX, URLS = "/p/", "humantrials.participation.urls"


class CookielessPages:
    """Runs before sessions; other addresses, and unknown ones below /p/, take the full stack."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.unavailable = Unavailable(self._view)
        self.short = OneLanguage(XFrameOptionsMiddleware(convert_exception_to_response(self._view)))

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(PREFIX):
            return self.get_response(request)
        try:
            request.resolver_match = resolve(request.path_info, URLS)
        except Resolver404:
            return self.get_response(request)
        response = cast(HttpResponse, self.short(request))
        if not response.streaming:
            response.headers.setdefault("Content-Length", str(len(response.content)))
        return response

    def _view(self, request: HttpRequest) -> HttpResponseBase:
        match = request.resolver_match
        assert match is not None
        try:
            return match.func(request, *match.args, **match.kwargs)
        except Exception as error:  # like Django: `process_exception` gets every error, and None raises it
            response = self.unavailable.process_exception(request, error)
            if response is None:
                raise
            return response
