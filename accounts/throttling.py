"""Rate limits by IP address or user, counted over all web processes."""

from typing import Any

from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from accounts.counting import enter


class _Counted(SimpleRateThrottle):
    """Counts atomically; DRF reads and writes the times separately, so processes could overwrite each other."""

    def allow_request(self, request: Any, view: Any) -> bool:
        self.key = None if self.rate is None else self.get_cache_key(request, view)
        if self.key is None:
            return True
        self.now = self.timer()
        entry = enter(self.key, limit=self.num_requests, seconds=self.duration, now=self.now)
        self.history = entry.times
        return entry.is_let_in


class VisitorThrottle(_Counted, AnonRateThrottle):
    pass


class UserThrottle(_Counted, UserRateThrottle):
    pass


class UploadThrottle(UserThrottle):
    """Limits a user's uploads, by page and API together."""

    scope = "upload"

    def allow_request(self, request: Any, view: Any) -> bool:
        return request.method != "POST" or super().allow_request(request, view)
