"""The API's key: `Authorization: Token …`, made on the account page."""

from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import Token, User

KEYWORD = "Token"


class TokenAuthentication(BaseAuthentication):
    """Whoever sends a live token is its user."""

    def authenticate(self, request: Request) -> tuple[User, None] | None:
        keyword, _space, plain = get_authorization_header(request).partition(b" ")
        if keyword.lower() != KEYWORD.lower().encode():
            return None
        user = Token.objects.owner_of(plain.decode("ascii", "replace").strip())
        if user is None:
            raise AuthenticationFailed(_("This token is unknown, revoked or expired."))
        return user, None

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class TokenScheme(OpenApiAuthenticationExtension):
    """How the API's schema describes the key."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "Token KEY"}
