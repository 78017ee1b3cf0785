"""A web process: `python -m benchsite.serving.web_server HOST:PORT [NAME]`, or `fd:N` for a bound socket.

waitress reads whole requests and sends answers in one loop, and its threads only work in between: a client that sends
nothing, half a head or half a body costs a socket but no thread. It ends none that keeps sending a little; the public
recipe has nginx in front for that (docs/deploying.md).
"""

import os
import resource
import signal
import socket
import sys

import waitress

from benchmarks.policy import KILOBYTE, LIMITS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
from django.conf import settings

from benchsite.serving import production_settings

SENT_AT_ONCE = 16 * KILOBYTE  # an answer whose head goes alone wakes its client twice: a sixth more of a processor
LARGEST_BODY = LIMITS["request"].most  # more than an upload: the site itself refuses larger ones with a message


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


def allow_open_files() -> None:
    """Let this process open as many files as the system allows: each connection is one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main(address: str, name: str = "web") -> None:
    """Serve until SIGTERM. Requests in progress end first, but their connections close without an answer."""
    from benchsite.wsgi import application  # isort: skip
    from benchsite.logs.heartbeats import Heart

    sock = listening(address)
    allow_open_files()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(0))
    Heart(name, "web").start()
    server = waitress.create_server(
        application,
        sockets=[sock],
        threads=settings.WEB_THREADS,
        connection_limit=2000,
        channel_timeout=20,  # seconds without a byte
        asyncore_use_poll=True,  # `select` takes only 1,024 files
        ident=None,
        send_bytes=SENT_AT_ONCE,
        clear_untrusted_proxy_headers=False,
        max_request_body_size=LARGEST_BODY,
    )
    server.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
