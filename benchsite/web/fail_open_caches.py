"""Caches that count as empty while their store is away: pages are rendered anew, calls are not counted, no errors.

Each cache can atomically `change` an entry by a function of its old value, across threads and processes.
"""

import errno
import fcntl
import logging
import threading
import time
import zlib
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from pickle import UnpicklingError  # nosec B403  # only the name of an error; nothing is unpickled here
from typing import Any, cast

from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as Away
from redis.exceptions import ResponseError
from redis.exceptions import TimeoutError as Silent

REST = 1.0  # seconds during which an unreachable store is not tried again
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
log = logging.getLogger(__name__)
Act = Callable[..., Any]
LOCKS = 64  # lock files, shared by the keys of a folder
CHANGING = threading.Lock()


def _patient(act: Act, instead: Callable[..., Any]) -> Act:
    @wraps(act)
    def inner(self: "FailOpenRedisCache", *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() < FailOpenRedisCache.asked_again_at:
            return instead(*args, **kwargs)
        try:
            return act(self, *args, **kwargs)
        except (Away, Silent, ResponseError) as error:  # ResponseError: Redis is full, or a read-only replica
            FailOpenRedisCache.asked_again_at = time.monotonic() + REST
            log.warning("the cache is away: %s", error)
            return instead(*args, **kwargs)

    return inner


def _readable(act: Act, instead: Callable[..., Any]) -> Act:
    """Treat a cached value as missing if its class has moved or changed its fields between versions."""

    @wraps(act)
    def inner(self: "FailOpenRedisCache", *args: Any, **kwargs: Any) -> Any:
        try:
            return act(self, *args, **kwargs)
        except (ImportError, AttributeError, UnpicklingError) as error:
            log.info("a cached value of another version is left alone: %s", error)
            return instead(*args, **kwargs)

    return _patient(inner, instead)


class FailOpenRedisCache(RedisCache):
    """Redis if it is reachable, else an empty cache; values from other versions of the site count as missing."""

    asked_again_at = 0.0

    get = _readable(RedisCache.get, lambda key, default=None, version=None: default)
    get_many = _readable(RedisCache.get_many, lambda keys, version=None: {})
    has_key = _patient(RedisCache.has_key, lambda key, version=None: False)
    add = _patient(RedisCache.add, lambda *args, **kwargs: True)
    set = _patient(RedisCache.set, lambda *args, **kwargs: None)
    set_many = _patient(RedisCache.set_many, lambda *args, **kwargs: [])
    touch = _patient(RedisCache.touch, lambda *args, **kwargs: False)
    delete = _patient(RedisCache.delete, lambda *args, **kwargs: False)
    delete_many = _patient(RedisCache.delete_many, lambda *args, **kwargs: None)
    incr = _patient(RedisCache.incr, lambda key, delta=1, version=None: delta)
    clear = _patient(RedisCache.clear, lambda *args, **kwargs: False)

    def _change(self, key: str, act: Act, timeout: float) -> None:
        """Change the entry in an optimistic transaction, retried when another process wrote in between."""
        name, store = self.make_and_validate_key(key), cast(Any, self._cache)
        client = store.get_client(name, write=True)

        def attempt(pipe: Any) -> None:
            found = pipe.get(name)
            value = act(None if found is None else store._serializer.loads(found))
            pipe.multi()
            pipe.set(name, store._serializer.dumps(value), px=max(1, int(1000 * timeout)))

        client.transaction(attempt, name)

    change = _patient(_change, lambda key, act, timeout: act(None))


class FailOpenMemoryCache(LocMemCache):
    """The memory of this process."""

    def change(self, key: str, act: Act, timeout: float) -> None:
        with CHANGING:
            self.set(key, act(self.get(key)), timeout)


class FailOpenFileCache(FileBasedCache):
    """A folder; on a full disk nothing is stored."""

    def change(self, key: str, act: Act, timeout: float) -> None:
        folder = Path(cast(Any, self)._dir) / "locks"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = (folder / str(zlib.crc32(key.encode()) % LOCKS)).open("a")
        except OSError as error:
            if error.errno not in FULL:
                raise
            act(None)
            return
        with lock:  # closing the file releases the lock, also when the process dies
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.set(key, act(self.get(key)), timeout)

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
