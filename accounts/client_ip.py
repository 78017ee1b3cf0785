"""The caller's IP address behind the number of our proxies in `PROXIES`."""

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """The address seen by the outermost of our proxies; addresses that a caller adds are ignored."""
    seen = [word.strip() for word in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if word.strip()]
    if not settings.PROXIES or not seen:
        return str(request.META.get("REMOTE_ADDR", ""))
    return seen[-min(settings.PROXIES, len(seen))]
