"""The type of requests in views behind `login_required`."""

from django.http import HttpRequest

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request with a signed-in user."""

    user: User
