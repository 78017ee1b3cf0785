"""Which pages follow the reader's language: only those that are translated completely."""

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

TRANSLATED = ("/t/", "/p/", "/withdraw/")  # the participant's pages


class OneLanguage(LocaleMiddleware):
    """Uses the reader's language on translated pages and English elsewhere, so that no page mixes two languages."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path.startswith(TRANSLATED):
            super().process_request(request)
            return
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = settings.LANGUAGE_CODE

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path.startswith(TRANSLATED):
            return super().process_response(request, response)
        response.headers.setdefault("Content-Language", settings.LANGUAGE_CODE)
        return response
