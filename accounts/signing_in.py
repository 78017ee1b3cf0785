"""What this site asks of allauth and axes: the role of a new account, and what who guessed too often reads."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import User


class AccountAdapter(DefaultAccountAdapter):
    """New accounts get the role of SIGN_UP_ROLE; staff give others."""

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:
        user.role = settings.SIGN_UP_ROLE
        saved: User = super().save_user(request, user, form, commit)
        return saved


def locked_out(request: HttpRequest, credentials: object = None, *args: object) -> HttpResponse:
    """Say when signing in can be tried again."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    response = render(request, "account/locked_out.html", {"section": "account", "minutes": minutes}, status=429)
    response.headers["Retry-After"] = str(60 * minutes)
    return response
