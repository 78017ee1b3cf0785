"""How people sign in: this site's changes to allauth and axes, the permissions of roles, the second factor of staff."""

import time
from collections.abc import Callable

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.app_settings import REAUTHENTICATION_TIMEOUT
from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AnonymousUser
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.audit_log import SAFE
from accounts.models import User
from accounts.roles import RIGHTS, Role

WANTED_PAGE = "wanted_page"  # session key; the page of recovery codes, which ends the set-up, leads there


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


class RoleBackend(BaseBackend):
    """Adds the permissions of the user's role to those granted individually."""

    def get_group_permissions(self, user_obj: User | AnonymousUser, obj: object = None) -> set[str]:
        """The role's permissions; none for visitors, inactive accounts and single rows."""
        if not isinstance(user_obj, User) or not user_obj.is_active or obj is not None:
            return set()
        return set(RIGHTS[Role(user_obj.role)].permissions)

    def has_module_perms(self, user_obj: User | AnonymousUser, app_label: str) -> bool:
        """Whether the administration shows this app to the user."""
        return any(name.partition(".")[0] == app_label for name in self.get_group_permissions(user_obj))


class StaffSecondFactor:
    """Staff without a second factor see what visitors see; whatever else they open leads to where they set it up
    (STAFF_SECOND_FACTOR)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.STAFF_SECOND_FACTOR or not request.user.is_authenticated or not request.user.is_staff:
            return self.get_response(request)
        if request.path.startswith(reverse("account")) or is_mfa_enabled(request.user):
            return self._unless_there(request)  # an existing factor is asked for at sign-in
        if request.method in SAFE:
            request.user, request.lacks_second_factor = AnonymousUser(), True  # type: ignore[attr-defined]
            response = self.get_response(request)
            if not _is_closed(response):
                return response
            request.session[WANTED_PAGE] = request.get_full_path()
        messages.info(request, "Staff sign in with a second factor. Set it up first: it takes a minute.")
        return redirect("mfa_activate_totp")

    def _unless_there(self, request: HttpRequest) -> HttpResponse:
        """The page; the one that was wanted before the second factor is wanted no more."""
        if request.session.get(WANTED_PAGE) == request.get_full_path():
            del request.session[WANTED_PAGE]
        return self.get_response(request)


def _is_closed(response: HttpResponse) -> bool:
    """Whether a visitor gets no such page: it doesn't exist for all, or asks to sign in."""
    signs_in = (reverse("account_login"), reverse("admin:login"))
    return response.status_code in (401, 403, 404) or response.get("Location", "").startswith(signs_in)
