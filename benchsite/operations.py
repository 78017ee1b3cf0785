"""Pages for the machines that watch the site."""

from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.urls import path


def health(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"ok": True})


def ready(request: HttpRequest) -> JsonResponse:
    """The process answers and its database does too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"ok": True})


urlpatterns = [path("healthz", health), path("readyz", ready)]
