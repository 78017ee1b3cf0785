"""Authentication by API key: `Authorization: Token …`, made on the account page."""

from typing import TYPE_CHECKING

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.callers import address_of, enter
from accounts.models import Scope, Token, User

if TYPE_CHECKING:
    from rest_framework.views import APIView  # imports this module by way of the settings

KEYWORD = "Token"
GUESSES, GUESS_SECONDS = 20, 900.0  # unknown keys of one address that are answered; known ones always are


class TokenAuthentication(BaseAuthentication):
    """Authenticates a request by a live token as the token's user."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        keyword, _space, plain = get_authorization_header(request).partition(b" ")
        if keyword.lower() != KEYWORD.lower().encode():
            return None
        token = Token.objects.live(plain.decode("ascii", "replace").strip())
        if token is None:
            self._count_guess(request)
            raise AuthenticationFailed("This token is unknown, revoked or expired.")
        token.note_use()
        return token.user, token

    def _count_guess(self, request: Request) -> None:
        guess = enter(f"key-guess:{address_of(request)}", limit=GUESSES, seconds=GUESS_SECONDS)
        if not guess.is_let_in:
            raise Throttled(guess.wait, "Too many unknown keys from this address.")

    def authenticate_header(self, request: Request) -> str:
        return KEYWORD


class InScope(BasePermission):
    """A key reads or uploads as its scopes allow; a user signed in on the page may do both."""

    message = "This key lacks the scope for this: make one with the right scope on your account page."

    def has_permission(self, request: Request, view: "APIView") -> bool:
        wanted = Scope.READ if request.method in SAFE_METHODS else Scope.SUBMIT
        return not isinstance(request.auth, Token) or wanted in request.auth.scopes


class TokenScheme(OpenApiAuthenticationExtension):
    """Describes the key in the API's schema."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "header", "name": "Authorization", "description": "Token KEY"}
