"""The middleware of accounts, which participants' pages do without: no session, cookie or user, and half the cost.

The audit log does not contain what staff do on these pages.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.module_loading import import_string

PREFIX = "/p/"


class AccountsOnly:
    """Runs `settings.ACCOUNT_MIDDLEWARE`, the first outermost, but for participants' pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = self.with_accounts = get_response
        for name in reversed(settings.ACCOUNT_MIDDLEWARE):
            self.with_accounts = import_string(name)(self.with_accounts)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_apart = request.path_info.startswith(PREFIX)
        return self.get_response(request) if is_apart else self.with_accounts(request)
