"""Slow clients don't hold the threads of a web process; the public recipe's nginx ends them."""

import contextlib
import http.client
import json
import signal
import socket

import pytest
from websockets.sync.client import connect

from benchsite.serving.serve import free_port
from tests.deployment.cluster import is_open, running_nginx
from tests.programs import start
from tests.site import PATIENCE, environment, other_settings, wait_for
from tests.tables import lay_into, lay_static

pytestmark = pytest.mark.worker
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
BODY = b"POST /account/sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nx"
TWO_LENGTHS = HEAD.replace(b"GET", b"POST") + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
LARGE = 40_000_000  # bytes; more than a process keeps of an answer in memory
LARGE_FILE, VIDEO = (b"GET /static/%s.bin HTTP/1.1\r\nHost: localhost\r\n\r\n" % name for name in (b"large", b"video"))
PRODUCTION = {"DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost,127.0.0.1"}
PRODUCTION |= other_settings(WEB_THREADS=4)


@contextlib.contextmanager
def server(folder, module):
    """The port of one process as `serve` starts it."""
    port = free_port("127.0.0.1")
    process = start(["-m", module, f"127.0.0.1:{port}"], environment(folder) | PRODUCTION)
    try:
        wait_for(lambda: is_open(port))
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)  # uvicorn ends by the signal that it got


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("site")
    lay_into(found)
    lay_static(found)
    (found / "var" / "static" / "large.bin").write_bytes(bytes(LARGE))
    (found / "var" / "static" / "video.bin").write_bytes(bytes(8_000_000))  # nginx writes to the disk what nobody takes
    return found


@pytest.fixture(scope="module")
def web(folder):
    with server(folder, "benchsite.serving.web_server") as port:
        yield port


@contextlib.contextmanager
def crowd(port, count, sending=b""):
    """Open so many connections from fifty loopback addresses, each with the same bytes sent."""
    with contextlib.ExitStack() as stack:
        found = []
        for number in range(count):
            source = (f"127.2.0.{1 + number % 50}", 0)
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=source))
            one.sendall(sending)
            found.append(one)
        yield found


def page(port, path="/healthz", **headers):
    call = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    call.request("GET", path, headers={"Host": "localhost"} | headers)
    answer = call.getresponse()
    return answer.status, answer.read()


@pytest.mark.parametrize("sending", [b"", HEAD, BODY], ids=["nothing", "half a head", "half a body"])
def test_pages_are_answered_beside_two_hundred_slow_clients(web, sending):
    with crowd(web, 200, sending):
        assert page(web) == (200, b'{"ok": true}')


@pytest.mark.nginx
def test_a_thousand_slow_clients_behind_nginx_stop_nobody(web, tmp_path):
    """nginx as it ships, which ends whoever is slow for longer than it allows."""
    with running_nginx(tmp_path, port := free_port("127.0.0.1"), [web], [web], "http://127.0.0.1:1"):
        wait_for(lambda: page(port)[0] == 200)
        with crowd(port, 1, TWO_LENGTHS) as [one]:
            assert b" 400 " in one.recv(100)
        with crowd(port, 250), crowd(port, 250, HEAD) as halves, crowd(port, 250, BODY), crowd(port, 250, VIDEO):
            for _ in range(20):
                assert page(port) == (200, b'{"ok": true}')
            halves[0].settimeout(PATIENCE)
            with contextlib.suppress(ConnectionResetError):
                assert b" 200 " not in halves[0].recv(100)  # ended, or told why


def test_who_never_takes_a_large_answer_holds_no_thread(web):
    with crowd(web, 40, LARGE_FILE) as readers:
        for one in readers:
            assert one.recv(12) == b"HTTP/1.1 200"
        assert page(web)[0] == 200


def test_one_connection_asks_again_and_again(web):
    """After an answer to HEAD, too, whose length is that of the page and which has no body."""
    call = http.client.HTTPConnection("127.0.0.1", web, timeout=PATIENCE)
    for method in ("GET", "HEAD", "GET"):
        call.request(method, "/", headers={"Host": "localhost"})
        answer = call.getresponse()
        assert (answer.status, bool(answer.read())) == (200, method == "GET")


def test_a_file_comes_in_pieces_as_asked_for(web):
    assert page(web, "/static/large.bin", Range="bytes=1000-1999") == (206, bytes(1000))


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 300_000 + b"\r\n\r\n", 431),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nBad\rHeader: 1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: zip\r\n\r\n", 501),
    ],
)
def test_a_request_that_can_not_be_is_refused_in_words(web, head, status):
    with crowd(web, 1, head) as [one]:
        assert one.recv(12) in (b"HTTP/1.0 %d" % status, b"HTTP/1.1 %d" % status)


def test_a_websocket_is_opened_beside_slow_clients(folder):
    with (
        server(folder, "benchsite.serving.websocket_server") as port,
        crowd(port, 100, HEAD),
        connect(f"ws://127.0.0.1:{port}/ws/boards/grasp/", open_timeout=PATIENCE) as board,
    ):
        assert "version" in json.loads(board.recv(PATIENCE))
