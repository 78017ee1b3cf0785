"""Requests with a foreign host, and the only host that a page may open a websocket to."""

import logging

import pytest
from asgiref.sync import async_to_sync
from channels.testing import WebsocketCommunicator
from django.core import mail
from django.core.cache import cache
from django.test import Client

from benchsite.asgi import NOT_FOUND, application

ANYWHERE = (
    *("/", "/healthz", "/readyz", "/metrics", "/static/css/site.css", "/media/x.mp4", "/api/v1/boards/"),
    *("/api/v1/nothing/", "/admin/", "/account/sign-in/", "/leaderboard/grasp/", "/t/none/", "/p/none/", "/nothing/"),
)
FOREIGN = (
    *("evil.com", "localhost.evil.com", "evil.com:99999999", "localhost:80:80", "@localhost"),
    *("a b", "é", "", "\x00"),
)


@pytest.mark.django_db
@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_refused_in_words_wherever_it_asks(settings, host, caplog):
    settings.ALLOWED_HOSTS, settings.DEBUG, settings.ADMINS = ["localhost"], False, ["admin@example.org"]
    client = Client(raise_request_exception=False)
    with caplog.at_level(logging.INFO):
        for path in ANYWHERE:
            for method in (client.get, client.post):
                answer = method(path, HTTP_HOST=host)
                assert (answer.status_code, answer["Content-Type"]) == (400, "text/plain; charset=utf-8"), path
                assert b"ALLOWED_HOSTS" in answer.content
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert mail.outbox == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("host", "socket_url", "source"),
    [
        ("localhost:8000", ":8001", "ws://localhost:8001"),
        ("site.example", ":8001", "ws://site.example:8001"),
        ("[::1]", ":8001", "ws://[::1]:8001"),
        ("[::1]:8000", ":8001", "ws://[::1]:8001"),
        ("localhost:8000", "wss://live.example/", "wss://live.example"),
        ("localhost:8000", "wss://live.example/sockets", "wss://live.example"),
    ],
)
def test_a_page_may_open_websockets_to_one_host_alone(settings, client, host, socket_url, source):
    settings.ALLOWED_HOSTS, settings.SOCKET_URL = ["*"], socket_url
    cache.clear()  # boards are cached with their policy
    policy = client.get("/leaderboard/grasp/", HTTP_HOST=host)["Content-Security-Policy"]
    (allowed,) = [part.split()[1:] for part in policy.split("; ") if part.startswith("connect-src")]
    assert allowed == ["'self'", source]
    page = client.get("/leaderboard/grasp/", HTTP_HOST=host).content.decode()
    assert f'data-socket="{source if socket_url == ":8001" else socket_url.rstrip("/")}/ws/boards/grasp/"' in page


@pytest.mark.django_db
def test_a_site_without_websockets_allows_none(settings, client):
    settings.SOCKET_URL = ""
    assert "ws" not in client.get("/")["Content-Security-Policy"].replace("allows", "")


@pytest.mark.parametrize(
    "path", ["/", "/ws/", "/ws/nothing/", "/ws/runs/x/", "/ws/runs/7", "/ws/runs/é/", "/%00", "/a" * 999]
)
def test_an_unknown_websocket_is_closed_with_a_code(path):
    async def listen() -> dict:
        page = WebsocketCommunicator(application, path)
        await page.connect()
        return await page.receive_output(5)

    assert async_to_sync(listen)() == {"type": "websocket.close", "code": NOT_FOUND}
