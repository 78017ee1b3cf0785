"""The language of pages: participants' pages follow the reader's language, all others are English."""

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

PARTICIPANTS = ("/t/", "/p/", "/withdraw/")  # the entry of a study, a person's own pages, and withdrawal by receipt


class OneLanguage(LocaleMiddleware):
    """Uses the reader's language on participants' pages and English elsewhere, so that no page mixes languages."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path.startswith(PARTICIPANTS):
            super().process_request(request)
            return
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = settings.LANGUAGE_CODE

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path.startswith(PARTICIPANTS):
            return super().process_response(request, response)
        response.headers.setdefault("Content-Language", settings.LANGUAGE_CODE)
        return response
