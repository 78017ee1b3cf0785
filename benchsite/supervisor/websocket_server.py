"""The websocket process: `python -m benchsite.supervisor.websocket_server HOST:PORT`.

uvicorn itself waits forever for a client that sends nothing or half a head, and accepts any number of connections.
"""

import ctypes
import gc
import os
import sys
from asyncio import Transport
from http import HTTPStatus

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
import h11
import uvicorn
from django.conf import settings
from uvicorn.protocols.http.h11_impl import H11Protocol

from benchsite import production_settings
from benchsite.supervisor.open_files import room_for
from benchsite.web.bounded_server import LINGERS, plain_answer

WORDS = {
    HTTPStatus.REQUEST_TIMEOUT: "No websocket was opened in time.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many connections from your address.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Too many connections.",
}
LARGEST_MESSAGE = 64 * 1024  # pages send nothing
FEW = 100  # below this many connections freeing memory is not worth the effort
TIMES = 4  # repeated, since some memory of a connection is freed only later
GIVES_EVERY = 50  # ticks of uvicorn, a tenth of a second each


class Opening(H11Protocol):
    """A connection until it becomes a websocket."""

    refused: HTTPStatus | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.refused = why_not(self)
        seconds = LINGERS if self.refused else settings.HEAD_SECONDS
        self.deadline = self.loop.call_later(seconds, self.end, self.refused or HTTPStatus.REQUEST_TIMEOUT)

    def data_received(self, data: bytes) -> None:
        """Refuse a client only after it has sent something; before that, it might not read the answer."""
        if self.refused:
            self.end(self.refused)
        else:
            super().data_received(data)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self.deadline.cancel()
        super().handle_websocket_upgrade(event)

    def end(self, status: HTTPStatus) -> None:
        """Send the reason and close the connection."""
        self.deadline.cancel()
        if self.transport.is_closing():
            return
        if self.cycle is None:
            self.transport.write(plain_answer(f"{status.value} {status.phrase}", WORDS[status], retry_after=5))
        self.transport.close()


def why_not(newcomer: Opening) -> HTTPStatus | None:
    """The status that refuses one more connection, or None; open websockets count, too."""
    there = newcomer.connections
    if len(there) > settings.CONNECTIONS:
        return HTTPStatus.SERVICE_UNAVAILABLE
    if settings.PROXIES:  # all connections come from the proxy
        return None
    address = address_of(newcomer.transport)
    own = sum(address_of(one.transport) == address for one in there)
    return HTTPStatus.TOO_MANY_REQUESTS if own > settings.CONNECTIONS_AN_ADDRESS else None


def address_of(transport: Transport) -> str:
    """The client's address; '' if it has left."""
    return (transport.get_extra_info("peername") or ("",))[0]


class WebsocketServer(uvicorn.Server):
    """Returns memory to the system when many clients have left."""

    most, again = FEW, 0

    async def on_tick(self, counter: int) -> bool:
        there = len(self.server_state.connections)
        if self.most > FEW and 2 * there < self.most:
            self.most, self.again = FEW, TIMES
        self.most = max(self.most, there)
        if self.again and counter % GIVES_EVERY == 0:
            self.again -= 1
            give_memory_back()
        return await super().on_tick(counter)


def give_memory_back() -> None:
    """Collect reference cycles and return whole pages to the system."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def start_heart() -> None:
    """Begin the heartbeats, once the application and its models are loaded."""
    from benchsite.observability.heartbeats import Heart

    Heart("websockets", "web").start()


def main(address: str) -> None:
    """Serve until SIGTERM."""
    host, _, port = address.rpartition(":")
    production_settings.require_for(host)
    settings.CONNECTIONS = room_for(settings.CONNECTIONS, files_each=1)
    config = uvicorn.Config(
        "benchsite.asgi:application",
        host=host,
        port=int(port),
        http=Opening,
        log_level="warning",
        lifespan="off",
        timeout_graceful_shutdown=2,
        timeout_keep_alive=settings.HEAD_SECONDS,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,  # saves 33 KB per socket, for messages of 30 bytes
    )
    config.load()
    start_heart()
    gc.freeze()  # loaded objects stay and need no garbage collection
    WebsocketServer(config).run()


if __name__ == "__main__":
    main(sys.argv[1])
