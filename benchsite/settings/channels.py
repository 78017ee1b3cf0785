"""How websocket processes on several machines reach each other."""

from typing import Any

# An idle websocket polls five seconds at a time, which is also the Redis client's default timeout: the client gave
# up first and ended every idle websocket.
ANSWER_WITHIN = 20  # seconds


def channel_layers(redis_url: str) -> dict[str, Any]:
    """The channel layer on this Redis; without one, boards and runs are read from the database alone."""
    if not redis_url:
        return {}
    hosts = [{"address": redis_url, "socket_timeout": ANSWER_WITHIN}]
    return {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": hosts}}}
