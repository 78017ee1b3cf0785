"""How many calls one address, or one user, may make a minute, counted over all web processes."""

from typing import Any

from django.core.cache import caches
from rest_framework.throttling import AnonRateThrottle, UserRateThrottle


class VisitorThrottle(AnonRateThrottle):
    cache = caches["limits"]


class UserThrottle(UserRateThrottle):
    cache = caches["limits"]


class UploadThrottle(UserRateThrottle):
    """Files sent by one user, whether on the page or to the API."""

    cache = caches["limits"]
    scope = "upload"

    def allow_request(self, request: Any, view: Any) -> bool:
        return request.method != "POST" or super().allow_request(request, view)
