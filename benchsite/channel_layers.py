"""How websocket processes of several machines hear of each other's news."""

from typing import Any

# An idle socket waits five seconds at a time for news, which is also how long the Redis client by itself waits for an
# answer: it then gave up first, and every idle websocket ended.
ANSWER_WITHIN = 20  # seconds


def channel_layers(redis_url: str) -> dict[str, Any]:
    """The layer on this Redis; none without one: boards and runs are then read from the database alone."""
    if not redis_url:
        return {}
    hosts = [{"address": redis_url, "socket_timeout": ANSWER_WITHIN}]
    return {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": hosts}}}
