"""The language of pages: completely translated pages follow the reader's language. Also the choice of a language."""

import re

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import redirect
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_safe

# The participant's pages; the first page, boards and pages linked from them. Long texts on method and desks are
# English.
REPORTS = "likelihood|twins|surprise|moments|same-eyes|effort|constrained|wordings"
TRANSLATED = re.compile(
    r"/(?:(?:t|p|withdraw)/.*|"
    rf"|leaderboard/(?:[-\w]+/(?:items/|charts/[-\w]+/|(?:{REPORTS})/)?)?|embed/.*|benchmarks/(?:[-\w]+/(?:items/(?:\w+/)?)?)?"
    r"|concepts/(?:[-\w]+/)?|models/(?:[-\w.]+/)?|explore/|compare/|trials/|docs/(?!files/).*)"
)
PARTICIPANTS = ("/t/", "/p/", "/withdraw/")  # only the participant's pages
YEAR = 31_536_000  # seconds


class OneLanguage(LocaleMiddleware):
    """Uses the reader's language on translated pages and English elsewhere, so that no page mixes languages."""

    def process_request(self, request: HttpRequest) -> None:
        if _is_translated(request):
            super().process_request(request)
            return
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = settings.LANGUAGE_CODE

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if _is_translated(request):
            return super().process_response(request, response)
        response.headers.setdefault("Content-Language", settings.LANGUAGE_CODE)
        return response


def _is_translated(request: HttpRequest) -> bool:
    """Whether the page is translated; exports are always English, since programs read their headings."""
    return TRANSLATED.fullmatch(request.path) is not None and "format" not in request.GET


@require_safe
def choose_language(request: HttpRequest, code: str) -> HttpResponse:
    """Remember the language in a cookie, and return to the page with the link."""
    if code not in dict(settings.LANGUAGES):
        raise Http404("no such language")
    back = request.headers.get("Referer", "")
    is_ours = url_has_allowed_host_and_scheme(back, request.get_host(), require_https=request.is_secure())
    response = redirect(back if is_ours else "/")
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=YEAR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response
