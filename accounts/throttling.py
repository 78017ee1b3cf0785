"""Rate limits by IP address or user."""

from typing import Any

from rest_framework.throttling import AnonRateThrottle, SimpleRateThrottle, UserRateThrottle

from accounts.callers import enter


class _Counted(SimpleRateThrottle):
    """Counts atomically; DRF reads and writes the times separately, so threads could overwrite each other."""

    def allow_request(self, request: Any, view: Any) -> bool:
        self.key = None if self.rate is None else self.get_cache_key(request, view)
        if self.key is None:
            return True
        self.entry = enter(self.key, limit=self.num_requests, seconds=self.duration, now=self.timer())
        return self.entry.is_let_in

    def wait(self) -> float:
        return self.entry.wait


class VisitorThrottle(_Counted, AnonRateThrottle):
    pass


class UserThrottle(_Counted, UserRateThrottle):
    pass


class UploadThrottle(UserThrottle):
    """Limits a user's uploads, by page and API together."""

    scope = "upload"

    def allow_request(self, request: Any, view: Any) -> bool:
        return request.method != "POST" or super().allow_request(request, view)
