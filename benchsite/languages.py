"""Which pages are in the reader's language: those that are translated as a whole."""

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

TRANSLATED = ("/t/", "/p/", "/withdraw/")  # people's road


class OneLanguage(LocaleMiddleware):
    """Elsewhere a page would be of two languages, told to be one, and read out or laid out as that."""

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
