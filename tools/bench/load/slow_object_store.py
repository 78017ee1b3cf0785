"""A private object store behind a proxy that can be slowed or closed."""

import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from benchsite.serving.processes import die_with_parent
from benchsite.serving.serve import free_port, is_free
from tests.deployment.bucket import BUCKET, address_of, client
from tests.site import wait_for
from tools.bench.load.servers import QUIET

HOST = "127.0.0.1"
PIECE = 1 << 20  # bytes; a request of the site fits into one


class Store:
    """moto's server behind a proxy that delays requests by `delay` seconds or refuses connections."""

    def __init__(self, stack: ExitStack) -> None:
        self.delay = 0.0
        self._inside, self.port = free_port(HOST), free_port(HOST)
        self._open: set[socket.socket] = set()
        self._door: socket.socket | None = None
        command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(self._inside)]
        process = subprocess.Popen(command, preexec_fn=die_with_parent, **QUIET)
        stack.callback(process.kill)
        wait_for(lambda: not is_free(HOST, self._inside), 600)
        self.come_back()
        stack.callback(self.leave)
        self._client = client(self.address)
        self._client.create_bucket(Bucket=BUCKET)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {"MEDIA_STORE": address_of(self.address)}

    def take_in(self, media: Path) -> None:
        """Upload all files of a site's media folder."""
        for path in media.rglob("*"):
            if path.is_file():
                self._client.upload_file(str(path), BUCKET, str(path.relative_to(media)))

    def come_back(self) -> None:
        self.delay = 0.0
        self._door = socket.create_server((HOST, self.port))
        threading.Thread(target=self._admit, args=(self._door,), daemon=True).start()

    def leave(self) -> None:
        """Stop listening and close all open connections."""
        door, self._door = self._door, None
        for each in (*([door] if door else []), *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _admit(self, door: socket.socket) -> None:
        while True:
            try:
                outside, _ = door.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(outside,), daemon=True).start()

    def _carry(self, outside: socket.socket) -> None:
        """Forward bytes in both directions until either side closes; requests are delayed."""
        with suppress(OSError, ValueError), outside, socket.create_connection((HOST, self._inside)) as inside:
            self._open.add(outside)
            while True:
                for one in select.select([outside, inside], [], [])[0]:
                    piece = one.recv(PIECE)
                    if not piece:
                        return
                    if one is outside:
                        time.sleep(self.delay)
                    (inside if one is outside else outside).sendall(piece)
        self._open.discard(outside)
