"""Staff need a second factor for every page except those of their account."""

from collections.abc import Callable

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse


class StaffSecondFactor:
    """Redirects staff without a second factor to the page where they set it up (STAFF_SECOND_FACTOR)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.STAFF_SECOND_FACTOR or not request.user.is_authenticated or not request.user.is_staff:
            return self.get_response(request)
        if request.path.startswith(reverse("account")) or is_mfa_enabled(request.user):
            return self.get_response(request)  # an existing factor is asked for at sign-in
        messages.info(request, "Staff sign in with a second factor. Set it up first: it takes a minute.")
        return redirect("mfa_activate_totp")
