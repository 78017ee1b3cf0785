"""A web process: `python -m benchsite.supervisor.web_server HOST:PORT [NAME [GATE]]`, or `fd:N` for a bound socket."""

import os
import signal
import socket
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
from django.conf import settings

from benchsite import production_settings
from benchsite.supervisor.open_files import room_for
from benchsite.web.bounded_server import BoundedServer, ClientLimits

FILES_A_CONNECTION = 3  # the socket, and files for a request and a response too large for memory
LARGEST_HEAD = 32 * 1024
LARGEST_BODY = 80 * 1024 * 1024  # uploads may have 64 MB; the site itself refuses larger ones with a message
READ_AT_ONCE = 64 * 1024  # more than a request head: unread input at closing would destroy the answer
WAITING = 2048  # connections queued by the kernel until they are accepted


def listening(address: str) -> socket.socket:
    """The socket for `address`; exits before it binds one that the settings don't allow."""
    host, _, port = address.rpartition(":")
    if host == "fd":
        found = socket.socket(fileno=int(port))
        production_settings.require_for(found.getsockname()[0])
        return found
    production_settings.require_for(host)
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind((host, int(port)))
    return found


def limits() -> ClientLimits:
    """The limits from the settings, reduced to the number of files that this process may open."""
    return ClientLimits(
        head_seconds=settings.HEAD_SECONDS,
        stall_seconds=settings.STALL_SECONDS,
        keep_alive=settings.KEEP_ALIVE_SECONDS,
        an_address=0 if settings.PROXIES else settings.CONNECTIONS_AN_ADDRESS,
        connections=room_for(settings.CONNECTIONS, files_each=FILES_A_CONNECTION),
    )


def main(address: str, name: str = "web", gate: str = "") -> None:
    """Serve until SIGTERM. A gate is the reading end of a pipe; serving begins when its other end is closed."""
    from benchsite.wsgi import application  # isort: skip
    from benchsite.observability.alerts import look_each_minute
    from benchsite.observability.heartbeats import Heart

    sock = listening(address)
    server = BoundedServer(
        application,
        limits(),
        _sock=sock,
        sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
        threads=settings.WEB_THREADS,
        backlog=WAITING,
        ident=None,
        clear_untrusted_proxy_headers=False,
        log_socket_errors=False,
        recv_bytes=READ_AT_ONCE,
        max_request_header_size=LARGEST_HEAD,
        max_request_body_size=LARGEST_BODY,
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.stop)
    Heart(name, "web", afterwards=look_each_minute).start()
    if gate:
        os.read(int(gate), 1)
    server.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
