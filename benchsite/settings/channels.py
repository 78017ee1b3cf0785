"""The connection between websocket processes on several machines."""

from typing import Any

# An idle websocket polls for five seconds at a time, which is also the Redis client's default timeout: the client would
# give up first and end every idle websocket.
ANSWER_WITHIN = 20  # seconds


def channel_layers(redis_url: str) -> dict[str, Any]:
    """The channel layer on this Redis; without one, live updates of boards and runs come only from the database."""
    if not redis_url:
        return {}
    hosts = [{"address": redis_url, "socket_timeout": ANSWER_WITHIN}]
    return {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": hosts}}}
