"""Caches that are away are empty: pages are drawn anew, calls are not counted, and nobody gets an error for it."""

import errno
import logging
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as Away
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as Silent

REST = 1.0  # seconds for which a store that is away is not asked again
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
log = logging.getLogger(__name__)
Act = Callable[..., Any]


def _patient(act: Act, instead: Callable[..., Any]) -> Act:
    @wraps(act)
    def inner(self: "PatientRedisCache", *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < PatientRedisCache.asked_again_at:
            return instead(*args, **kwargs)
        try:
            return act(self, *args, **kwargs)
        except (Away, Silent, ResponseError) as error:  # the last: full, or a replica that may not be written
            PatientRedisCache.asked_again_at = time.monotonic() + REST
            log.warning("the cache is away: %s", error)
            return instead(*args, **kwargs)

    return inner


class PatientRedisCache(RedisCache):
    """Redis, or nothing."""

    asked_again_at = 0.0

    get = _patient(RedisCache.get, lambda key, default=None, version=None: default)
    get_many = _patient(RedisCache.get_many, lambda keys, version=None: {})
    has_key = _patient(RedisCache.has_key, lambda key, version=None: False)
    add = _patient(RedisCache.add, lambda *args, **kwargs: True)
    set = _patient(RedisCache.set, lambda *args, **kwargs: None)
    set_many = _patient(RedisCache.set_many, lambda *args, **kwargs: [])
    touch = _patient(RedisCache.touch, lambda *args, **kwargs: False)
    delete = _patient(RedisCache.delete, lambda *args, **kwargs: False)
    delete_many = _patient(RedisCache.delete_many, lambda *args, **kwargs: None)
    incr = _patient(RedisCache.incr, lambda key, delta=1, version=None: delta)
    clear = _patient(RedisCache.clear, lambda *args, **kwargs: False)


class PatientFileCache(FileBasedCache):
    """A folder; on a full disk nothing is kept."""

    def set(self, *args: Any, **kwargs: Any) -> None:
        try:
            super().set(*args, **kwargs)
        except OSError as error:
            if error.errno not in FULL:
                raise
            log.warning("not kept, the disk is full: %s", error.strerror)

    def touch(self, *args: Any, **kwargs: Any) -> bool:
        try:
            return super().touch(*args, **kwargs)
        except OSError as error:
            if error.errno not in FULL:
                raise
            return False
