"""A real HTTP server for chat completions, whose response to each request the test chooses, valid or faulty."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["Handler"], None]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}


@dataclass(frozen=True)
class Seen:
    """One request; a handler serves all those of its connection."""

    path: str
    headers: Message
    body: dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "FaultServer"

    def do_POST(self):
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.seen.append(Seen(self.path, self.headers, self.body))
            self.number = len(self.server.seen)
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        try:
            self.server.act(self)
        except OSError:
            self.close_connection = True  # the client closed the connection
        finally:
            with self.server.lock:
                self.server.now -= 1

    def send(self, body: bytes | dict | list, status: int = 200, **headers: str):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (
            {"Content-Type": "application/json", "Content-Length": str(len(raw))}
            | {name.replace("_", "-"): value for name, value in headers.items()}
        ).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    @property
    def said(self) -> str:
        """The text of the last message."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else content[-1]["text"]

    def log_message(self, *args):
        pass


class FaultServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, act: Act, host: str = "127.0.0.1"):
        super().__init__((host, 0), Handler)
        self.host, self.act, self.lock, self.now, self.most = host, act, threading.Lock(), 0, 0
        self.seen: list[Seen] = []

    @property
    def base_url(self) -> str:
        return f"http://{self.host}:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        pass


@contextmanager
def serving(act: Act, host: str = "127.0.0.1") -> Iterator[FaultServer]:
    server = FaultServer(act, host)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def completion(text: Any = "yes", finish: Any = "stop", **message: Any) -> dict:
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return {"id": "x", "model": "tiny-1", "system_fingerprint": "fp_1", "choices": [choice], "usage": USAGE}


def fine(text: Any = "yes", finish: Any = "stop", **message: Any) -> Act:
    return lambda handler: handler.send(completion(text, finish, **message))


def echo(handler: Handler):
    handler.send(completion(f"you said {handler.said}"))


def raw(body: bytes | dict | list, status: int = 200, **headers: str) -> Act:
    return lambda handler: handler.send(body, status, **headers)


def hangs(handler: Handler):
    time.sleep(30)
    handler.close_connection = True


def drips(handler: Handler):
    """Sends a byte now and then: never silent for long, never finished."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(1500):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.02)
    handler.close_connection = True


def closes_in_mid_reply(handler: Handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')
    handler.close_connection = True


def says_too_short(handler: Handler):
    """Announces fewer bytes than it sends."""
    handler.send(json.dumps(completion()).encode(), Content_Length="20")
    handler.close_connection = True


def never_stops(handler: Handler):
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    for _ in range(64):
        handler.wfile.write(b" " * 2**20)
    handler.close_connection = True


def one_after_the_other(*acts: Act) -> Act:
    """The n-th request gets the n-th act, and all further ones the last."""
    return lambda handler: acts[min(handler.number, len(acts)) - 1](handler)
