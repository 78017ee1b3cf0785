"""Open boards on any machine hear at once that figures changed, where machines share a Redis.

No more than a hint: whoever misses one, or has no Redis, reads the same from the database within two seconds.
"""

from collections.abc import Iterable
from contextlib import suppress

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

AWAY = (RedisError, OSError)


def group_of(slug: str) -> str:
    """Whoever has a board of this benchmark open."""
    return f"board.{slug}"


def tell_boards(slugs: Iterable[str]) -> None:
    """Nothing where there is no layer, or where it is away."""
    if layer := get_channel_layer():
        with suppress(*AWAY):
            for slug in slugs:
                async_to_sync(layer.group_send)(group_of(slug), {"type": "board.changed"})
