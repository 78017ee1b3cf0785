"""The audit log: every request of staff that could change something adds a row."""

from http import HTTPStatus

from django.core.exceptions import SuspiciousOperation
from django.db import InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.deprecation import MiddlewareMixin

from accounts.models import Act, User

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
# Only these fields are stored: choices and reasons, never a password, a key or a person's id.
DESCRIBED = (
    "action", "_selected_action", "confirmed", "decision", "run", "reason", "marks", "state", "priority", "role",
    "listing", "post", "benchmark", "folder", "pack_name", "split", "is_active", "is_superuser", "_save",
)  # fmt: skip
MOST = 50  # values stored per field


class StaffActs(MiddlewareMixin):
    """Logs what staff did once the request is answered, with the response's status."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request.method not in SAFE and (user := _member_of_staff(request)):
            _note(request, user, response.status_code)
        return response


def _note(request: HttpRequest, user: User, status: int) -> None:
    """Log the act; if nothing can be stored, the view was refused too (503) and there is nothing to log."""
    found = request.resolver_match
    try:
        Act.objects.create(
            by=user,
            username=user.username,
            what=(found.view_name if found else "")[:80],
            path=_storable(request.path[:200]),
            details=_sent_choices(request),
            status=status,
        )
    except (OperationalError, InternalError):
        if status != HTTPStatus.SERVICE_UNAVAILABLE:
            raise


def _sent_choices(request: HttpRequest) -> dict[str, list[str]]:
    """The choices that were sent; none if the request is malformed, which its view has reported."""
    try:
        sent = request.POST.lists()
    except (MultiPartParserError, SuspiciousOperation, OSError):
        return {}
    return {
        name: [_storable(str(value)[:300]) for value in values[:MOST]] for name, values in sent if name in DESCRIBED
    }


def _storable(text: str) -> str:
    return text.replace("\x00", "\ufffd")  # PostgreSQL stores no NUL


def _member_of_staff(request: HttpRequest) -> User | None:
    user = getattr(request, "user", None)
    return user if isinstance(user, User) and user.is_staff else None
