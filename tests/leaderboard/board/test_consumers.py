"""Messages to an open board over its websocket."""

import asyncio

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from benchsite.asgi import application
from benchsite.settings import channel_layers
from leaderboard.board import consumers
from leaderboard.board.cache import hint_of
from leaderboard.board.consumers import BoardConsumer
from leaderboard.standings.refresh import refresh
from tests.leaderboard.conftest import answered
from tests.services import REDIS_URL

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_reader_hears_the_version_at_once_and_every_change(board, pack, monkeypatch):
    monkeypatch.setattr(consumers, "PAUSE", 0.05)
    asyncio.run(_listen(pack))
    assert BoardConsumer.looking == {}
    assert BoardConsumer.readers == {"grasp": set()}


async def _listen(pack):
    readers = [WebsocketCommunicator(application, "/ws/boards/grasp/") for _ in range(2)]
    for reader in readers:
        assert (await reader.connect())[0]
    first = [await reader.receive_json_from(timeout=20) for reader in readers]
    assert first == [{"version": await sync_to_async(hint_of)("grasp")}] * 2
    assert len(BoardConsumer.looking) == 1, "one look serves all readers"
    await sync_to_async(_newcomer)(pack)
    after = [await reader.receive_json_from(timeout=20) for reader in readers]
    assert after == [{"version": await sync_to_async(hint_of)("grasp")}] * 2
    assert after != first
    for reader in readers:
        await reader.disconnect()


def _newcomer(pack):
    answered(pack, "yes", "Newcomer")
    refresh()


def test_no_benchmark_no_hints():
    async def asked():
        return await WebsocketCommunicator(application, "/ws/boards/nothing/").connect()

    assert asyncio.run(asked())[0] is False


@pytest.mark.redis
def test_machines_that_share_a_redis_tell_each_other_at_once(board, pack, monkeypatch, settings):
    settings.CHANNEL_LAYERS = channel_layers(REDIS_URL)
    monkeypatch.setattr(consumers, "PAUSE", 3600.0)  # every subscriber was notified
    asyncio.run(_listen(pack))


@pytest.mark.redis
def test_a_socket_on_which_nothing_happens_stays_open(board, settings):
    settings.CHANNEL_LAYERS = channel_layers(REDIS_URL)

    async def idle():
        reader = WebsocketCommunicator(application, "/ws/boards/grasp/")
        assert (await reader.connect())[0]
        await reader.receive_json_from(timeout=20)
        assert await reader.receive_nothing(timeout=7)  # seconds; five were too many
        await reader.disconnect()

    asyncio.run(idle())


def test_a_redis_that_is_away_costs_a_refresh_nothing(board, pack, settings):
    away = {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": ["redis://127.0.0.1:9/0"]}}
    settings.CHANNEL_LAYERS = {"default": away}
    _newcomer(pack)
    assert refresh().computed == 0
