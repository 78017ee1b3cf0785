"""What a view behind `login_required` gets."""

from django.http import HttpRequest

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request whose user is known."""

    user: User
