"""The websocket process: `python -m benchsite.serving.websocket_server HOST:PORT`."""

import os
import sys

from benchmarks.policy import LIMITS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
import uvicorn

from benchsite.serving import production_settings
from benchsite.serving.web_server import allow_open_files

MOST = 2000  # connections that are no websockets; nginx limits those of an address
LARGEST_MESSAGE = LIMITS["websocket message"].most  # bytes; pages send nothing


def main(address: str) -> None:
    """Serve until SIGTERM."""
    host, _, port = address.rpartition(":")
    production_settings.require_for(host)
    allow_open_files()
    config = uvicorn.Config(
        "benchsite.asgi:application",
        host=host,
        port=int(port),
        log_level="warning",
        lifespan="off",
        limit_concurrency=MOST,
        timeout_graceful_shutdown=2,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,  # saves 33 KB per socket, for messages of 30 bytes
    )
    config.load()
    from benchsite.logs.heartbeats import Heart  # the application has loaded the models

    Heart("websockets", "web").start()
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main(sys.argv[1])
