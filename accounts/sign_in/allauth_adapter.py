"""This site's changes to allauth and axes: the role of new accounts, the page after too many failed sign-ins."""

import time

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.app_settings import REAUTHENTICATION_TIMEOUT
from allauth.account.internal.flows.login import get_authentication_records
from django.conf import settings
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    """Gives new accounts the role SIGN_UP_ROLE; staff can change it."""

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:
        user.role = settings.SIGN_UP_ROLE
        saved: User = super().save_user(request, user, form, commit)
        return saved

    def is_reauthentication_required(self, *, app: str, **options: object) -> bool:
        """Not within minutes of a sign-in: allauth would ask for the password again that was just typed."""
        signed_in = get_authentication_records(self.request, self.request.user)
        newest = max((record["at"] for record in signed_in), default=0.0)
        return time.time() - newest > REAUTHENTICATION_TIMEOUT


def locked_out(request: HttpRequest, credentials: object = None, *args: object) -> HttpResponse:
    """The page after too many failed sign-ins: when to try again."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    response = render(request, "account/locked_out.html", {"section": "account", "minutes": minutes}, status=429)
    response.headers["Retry-After"] = str(60 * minutes)
    return response
