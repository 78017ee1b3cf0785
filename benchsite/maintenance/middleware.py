"""Responses during maintenance.

Nothing is written and no answer is lost: a participant's answer gets 503, and the page that sent it keeps it in the
browser and retries until it is accepted (static/js/trial-outbox.js).
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import translation

from benchsite.maintenance.state import current, seconds_left
from benchsite.models import Maintenance
from benchsite.web.language import PARTICIPANTS

OPEN = ("/healthz", "/readyz", "/metrics")
UNKNOWN = 300  # seconds for Retry-After if no end is announced
SOON = 30  # seconds for programs that hold an answer, so that they retry soon after the end


class UnderMaintenance:
    """Runs before all pages, including cached ones."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if path in OPEN or path.startswith(settings.STATIC_URL) or (row := current()) is None:
            return self.get_response(request)
        response = _maintenance_page(request, row)
        response._has_been_logged = True  # type: ignore[attr-defined]  # otherwise Django logs an error for each
        response.headers["Cache-Control"] = "no-store"
        return response


def _maintenance_page(request: HttpRequest, row: Maintenance) -> HttpResponse:
    if request.path.startswith("/api/") or (request.accepts("application/json") and not request.accepts("text/html")):
        seconds = seconds_left(row, unknown=SOON)
        words = f"The site is under maintenance. Ask again in {seconds} seconds."
        answer: HttpResponse = JsonResponse({"detail": words, "until": row.until, "note": row.note}, status=503)
    else:
        seconds = seconds_left(row, unknown=UNKNOWN)
        answer = HttpResponse(_page(request, row), status=503)
    answer.headers["Retry-After"] = str(seconds)
    return answer


def _page(request: HttpRequest, row: Maintenance) -> str:
    """The maintenance page: on translated pages in the participant's language, else in English."""
    is_participant_page = request.path.startswith(("/t/", "/p/"))
    wish = request.GET.get("lang", "")
    known = {code for code, _ in settings.LANGUAGES}
    own = wish if wish in known else translation.get_language_from_request(request)
    language = own if request.path.startswith(PARTICIPANTS) else settings.LANGUAGE_CODE
    with translation.override(language):
        facts = {
            "until": row.until,
            "note": row.note,
            "is_road": is_participant_page,
            "language": language,
            "path": request.path,
            "is_rtl": translation.get_language_bidi(),
        }
        return render_to_string("maintenance.html", facts)
