"""A WSGI server that no slow or greedy client can block.

waitress reads whole requests and sends answers in one loop; its threads only work in between. So a client that sends
nothing, half a head or half a body costs a socket but no thread. This server adds what waitress lacks: time limits for
each part, and limits on the number of connections, per address and in total.
"""

import contextlib
import math
import socket
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import WSGITask

ACCEPTED_AT_ONCE = 64  # connections, before the existing ones are served again
SENT_AT_ONCE = 1 << 14  # bytes; less waits for the end of the answer, so that the client is woken once
LEAST_SPEED = 1000  # bytes per second, of a request's body and of an answer
ANSWER_WINDOWS = 3  # clients read answers in bursts, because the kernel buffers up to megabytes of them
LINGERS, LINGERING = 2.0, 200  # refused connections: how long they stay open in seconds, and how many
GRACE = 5.0  # seconds for open requests when the process stops


class ClientLimits(NamedTuple):
    """Limits of one process, per client and in all."""

    head_seconds: float  # from a request's first byte to the end of its head
    stall_seconds: float  # time in which a body must arrive at LEAST_SPEED on average
    keep_alive: float  # seconds without a new request
    an_address: int  # connections; 0 behind a proxy, whose connections carry all clients' requests
    connections: int


class Phase(NamedTuple):
    """What a connection is doing, its time limit, and the bytes moved; enough bytes restart the time limit."""

    name: str
    request: int  # number of the request on this connection
    seconds: float
    moved: int = 0


@dataclass
class Pace:
    """The phase of a connection, and when it began or last moved enough bytes."""

    phase: Phase
    at: float

    def is_too_slow(self, phase: Phase, now: float) -> bool:
        """Update the pace; True when the time of the phase is over."""
        enough = self.phase.moved + LEAST_SPEED * phase.seconds
        if phase[:2] != self.phase[:2] or phase.moved >= enough:
            self.phase, self.at = phase, now
        return now - self.at > phase.seconds


class BoundedTask(WSGITask):
    """One request, handled by a thread."""

    def set_close_on_finish(self) -> None:
        """Keep the connection open after an answer without a body; waitress would close it for lack of a length."""
        wanted = self.request.headers.get("CONNECTION", "").lower()
        if self.has_body or self.version != "1.1" or wanted == "close":
            super().set_close_on_finish()

    def write(self, data: bytes) -> None:
        """Drop the body of an answer to HEAD; neither Django nor waitress does so."""
        super().write(b"" if self.request.command == "HEAD" else data)

    def finish(self) -> None:
        """Send what is left; a short answer goes whole, its head with its body (`SENT_AT_ONCE`)."""
        super().finish()
        self.channel.send_rest()


class Connection(HTTPChannel):
    """The connection of one client."""

    task_class = BoundedTask

    def __init__(self, server: "BoundedServer", sock: socket.socket, addr: tuple, adj: Any, map: dict) -> None:
        self.asked, self.sent = 0, 0  # complete requests, bytes of answers
        super().__init__(server, sock, addr, adj, map=map)
        self.pace = Pace(self.phase(), time.monotonic())

    def send(self, data: bytes, do_close: bool = True) -> int:
        count = super().send(data, do_close)
        self.sent += count
        return count

    def send_rest(self) -> None:
        """Send what waits, as far as the client takes it; the loop sends the rest."""
        with self.outbuf_lock:
            if self.total_outbufs_len:
                self._flush_exception(self._flush_some, do_close=False)

    def phase(self) -> Phase:
        """The present phase of the connection."""
        limits, request = self.server.limits, self.request
        if self.total_outbufs_len:
            return Phase("answer", self.asked, ANSWER_WINDOWS * limits.stall_seconds, self.sent)
        if self.requests:
            return Phase("work", self.asked, math.inf)
        if request is None:
            return Phase("idle", self.asked, limits.keep_alive if self.asked else limits.head_seconds)
        if request.headers_finished:
            return Phase("body", self.asked, limits.stall_seconds, request.body_bytes_received)
        return Phase("head", self.asked, limits.head_seconds)

    def is_waiting(self) -> bool:
        """Whether closing this connection loses no answer."""
        return self.phase().name in ("idle", "head")

    def end(self, phase: Phase) -> None:
        """Close the connection of a slow client; if it has begun a request, send 408 first."""
        if phase.name in ("head", "body"):
            words = f"The {phase.name} of the request did not arrive in time."
            with contextlib.suppress(OSError):
                self.socket.send(plain_answer("408 Request Timeout", words))
        self.handle_close()


class Refused(wasyncore.dispatcher):
    """A connection over the limit: it gets an answer, and its input is read so that the answer is not lost."""

    there: ClassVar[deque["Refused"]] = deque()

    def __init__(self, client: socket.socket, answer: bytes, map: dict) -> None:
        client.setblocking(False)
        client.send(answer)
        client.shutdown(socket.SHUT_WR)
        super().__init__(client, map=map)
        self.connected, self.until = True, time.monotonic() + LINGERS
        self.there.append(self)

    def writable(self) -> bool:
        return False

    def handle_read(self) -> None:
        self.recv(65536)

    def handle_close(self) -> None:
        self.close()

    @classmethod
    def end_old_ones(cls, now: float) -> None:
        while cls.there and (cls.there[0].until < now or len(cls.there) > LINGERING):
            cls.there.popleft().close()


class BoundedServer(TcpWSGIServer):
    """The server loop of one process."""

    channel_class = Connection
    stop_at = math.inf  # time.monotonic()

    def __init__(self, application: Any, limits: ClientLimits, **adjustments: Any) -> None:
        self.limits = limits
        super().__init__(application, bind_socket=False, **adjustments)
        self.adj.send_bytes = SENT_AT_ONCE  # waitress warns of it as an argument: a later release may drop it

    def readable(self) -> bool:
        return bool(self.accepting)

    def add_task(self, task: Connection) -> None:
        task.asked += 1
        super().add_task(task)

    def handle_accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                accepted = self.accept()
            except OSError:  # too many open files, or the client is gone
                return
            if accepted is None:
                return
            self.take(*accepted)

    def take(self, client: socket.socket, address: tuple) -> None:
        """Serve this client, or send the reason for a refusal."""
        try:
            if why := self.why_not(address[0]):
                Refused(client, why, self._map)
            else:
                self.set_socket_options(client)
                self.channel_class(self, client, address, self.adj, map=self._map)
        except OSError:  # the client is gone
            client.close()

    def why_not(self, address: str) -> bytes:
        """The answer to a connection over a limit; b'' if there is room or room could be made.

        The connection that has waited longest for a request makes room, so a flood of idle connections closes its own.
        """
        there = [one for one in self.active_channels.values() if not one.will_close]
        own = [one for one in there if one.addr[0] == address] if self.limits.an_address else []
        if self.limits.an_address and len(own) >= self.limits.an_address and not make_room(own):
            return plain_answer("429 Too Many Requests", "Too many connections from your address.", retry_after=5)
        if len(there) >= self.limits.connections and not make_room(there):
            return plain_answer("503 Service Unavailable", "Too many connections.", retry_after=5)
        return b""

    def run(self) -> None:
        """Serve until `stop` is called and open requests are answered, or until GRACE is over."""
        look_at = 0.0
        while (now := time.monotonic()) < self.stop_at and not (self.is_stopping() and self.is_quiet()):
            wasyncore.loop(timeout=0.1 if self.is_stopping() else 1.0, use_poll=True, map=self._map, count=1)
            if now >= look_at:
                self.end_slow_ones(now)
                look_at = now + 1.0
        self.task_dispatcher.shutdown(timeout=1)

    def end_slow_ones(self, now: float) -> None:
        Refused.end_old_ones(now)
        for one in list(self.active_channels.values()):
            phase = one.phase()
            if one.pace.is_too_slow(phase, now):
                one.end(phase)

    def stop(self, *signal: object) -> None:
        """Accept no more connections; called by a signal."""
        self.stop_at = min(self.stop_at, time.monotonic() + GRACE)
        self.accepting = False
        self.pull_trigger()

    def is_stopping(self) -> bool:
        return self.stop_at < math.inf

    def is_quiet(self) -> bool:
        return all(one.is_waiting() for one in self.active_channels.values())


def make_room(connections: Iterable[Connection]) -> bool:
    """Close the connection that has waited longest for a request; False if none waits."""
    waiting = [one for one in connections if one.is_waiting()]
    if waiting:
        min(waiting, key=lambda one: one.pace.at).will_close = True
    return bool(waiting)


def plain_answer(status: str, words: str, *, retry_after: int = 0) -> bytes:
    """A complete plain-text response, after which the connection closes."""
    body = f"{words}\n"
    later = f"Retry-After: {retry_after}\r\n" if retry_after else ""
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n{later}"
    return f"{head}Connection: close\r\n\r\n{body}".encode()
