"""Whose address counts as the caller's, behind as many proxies of ours as `PROXIES` says."""

from django.conf import settings
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """The address that the outermost of our proxies saw; what a caller adds itself is not believed."""
    seen = [word.strip() for word in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if word.strip()]
    if not settings.PROXIES or not seen:
        return str(request.META.get("REMOTE_ADDR", ""))
    return seen[-min(settings.PROXIES, len(seen))]
