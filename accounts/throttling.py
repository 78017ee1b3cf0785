"""How many calls one address, or one user, may make a minute, counted over all web processes."""

from django.core.cache import caches
from rest_framework.throttling import AnonRateThrottle, UserRateThrottle


class VisitorThrottle(AnonRateThrottle):
    cache = caches["limits"]


class UserThrottle(UserRateThrottle):
    cache = caches["limits"]
