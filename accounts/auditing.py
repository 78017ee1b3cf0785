"""Every act of staff leaves a row: whatever a member of staff sends that could change something is written down."""

from collections.abc import Callable

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError

from accounts.models import Act, User

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
# Of what was sent only these are kept: choices and reasons, never a password, a key or a person's id.
TOLD = (
    "action", "_selected_action", "confirmed", "decision", "run", "reason", "marks", "state", "priority", "role",
    "listing", "post", "benchmark", "folder", "pack_name", "split", "is_active", "is_superuser", "_save",
)  # fmt: skip
MOST = 50  # values kept of one field


class StaffActs:
    """Writes down who did what after it was answered, with the answer's status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method not in SAFE and (user := _member_of_staff(request)):
            note_act(request, user, response.status_code)
        return response


def note_act(request: HttpRequest, user: User, status: int) -> Act:
    """Add the row of this request."""
    found = request.resolver_match
    return Act.objects.create(
        by=user, username=user.username, what=(found.view_name if found else "")[:80], path=request.path[:200],
        details=_told(request), status=status,
    )  # fmt: skip


def _told(request: HttpRequest) -> dict[str, list[str]]:
    """The choices that were sent; none where the request is broken, which its view has said."""
    try:
        sent = request.POST.lists()
    except (MultiPartParserError, SuspiciousOperation, OSError):
        return {}
    return {name: [str(value)[:300] for value in values[:MOST]] for name, values in sent if name in TOLD}


def _member_of_staff(request: HttpRequest) -> User | None:
    user = getattr(request, "user", None)
    return user if isinstance(user, User) and user.is_staff else None
