"""Slow and greedy clients can't harm a running site; limits are small here, so that tests end."""

import asyncio
import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any, ClassVar
from urllib.request import urlopen

import psutil
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from bench.load import websocket_memory
from benchsite.supervisor.processes import MEMORY
from benchsite.supervisor.serve import free_port
from benchsite.web.bounded_server import BoundedServer, ClientLimits, Connection
from tests.site import PATIENCE, ROOT, environment, wait_for
from tests.tables import lay_into, lay_static
from tests.warm import Program

pytestmark = pytest.mark.worker
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
COOKIE = b"Cookie: csrftoken=0123456789abcdefghijABCDEFGHIJ12\r\n"  # so that the body is parsed
BODY = b"POST /account/sign-in/ HTTP/1.1\r\nHost: localhost\r\n" + COOKIE
FORM = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n"
LARGE = 40_000_000  # bytes
LARGE_FILE = b"GET /static/large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
PROCESSES: dict[int, Any] = {}  # by port
AN_ADDRESS, CONNECTIONS = 30, 250
SMALL = {
    "HEAD_SECONDS": "4",
    "STALL_SECONDS": "3",
    "CONNECTIONS_AN_ADDRESS": str(AN_ADDRESS),
    "CONNECTIONS": str(CONNECTIONS),
    "WEB_PROCESSES": "1",
    "WEB_THREADS": "4",
}
SMALL_ENOUGH = SMALL | {"DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost,127.0.0.1"}

LONG = {"HEAD_SECONDS": "3600", "STALL_SECONDS": "3600"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("site")
    lay_into(found)
    lay_static(found)
    (found / "var" / "static" / "large.bin").write_bytes(bytes(LARGE))
    return found


@contextlib.contextmanager
def server(folder, module, start=Program, **extra):
    """The port of one process as `serve` starts it, a fork unless told otherwise."""
    port = free_port("127.0.0.1")
    env = environment(folder) | SMALL_ENOUGH | extra
    process = start(["-m", module, f"127.0.0.1:{port}"], env)
    PROCESSES[port] = psutil.Process(process.pid)
    try:
        wait_for(lambda: socket.create_connection(("127.0.0.1", port)).close() or True)
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def started(arguments, env):
    """A process whose C library reads its settings of memory, which a fork does not."""
    return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=env)


@pytest.fixture(scope="module")
def web(folder):
    with server(folder, "benchsite.supervisor.web_server") as port:
        yield port


@pytest.fixture(scope="module")
def patient(folder):
    """A server without timeouts."""
    with server(folder, "benchsite.supervisor.web_server", **LONG) as port:
        yield port


@pytest.fixture(scope="module")
def sockets(folder):
    with server(folder, "benchsite.supervisor.websocket_server") as port:
        yield port


@contextlib.contextmanager
def crowd(port, count, sending=b"", *, addresses=20):
    """Open so many connections from so many loopback addresses, each with the same bytes sent."""
    with contextlib.ExitStack() as stack:
        found = []
        for number in range(count):
            source = (f"127.2.0.{1 + number % addresses}", 0)
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=source))
            with contextlib.suppress(OSError):
                one.sendall(sending)
            found.append(one)
        yield found


def page(port, path="/healthz", source="127.0.0.1"):
    call = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=(source, 0))
    call.request("GET", path, headers={"Host": "localhost"})
    answer = call.getresponse()
    return answer.status, answer.read()


def answer_of(one):
    """Everything that the server sends until it closes the connection."""
    one.settimeout(PATIENCE)
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := one.recv(65536):
            said += piece
    return said


def is_open(one):
    one.setblocking(False)
    try:
        return bool(one.recv(65536))
    except BlockingIOError:
        return True
    except OSError:
        return False


@pytest.mark.parametrize("sending", [b"", HEAD, BODY + FORM + b"x"], ids=["nothing", "half a head", "half a body"])
def test_pages_are_answered_beside_two_hundred_slow_clients(web, sending):
    with crowd(web, 200, sending):
        assert page(web) == (200, b'{"ok": true}')


def test_who_never_takes_a_large_answer_holds_no_thread(web):
    with crowd(web, 40, LARGE_FILE) as readers:
        for one in readers:
            assert one.recv(12) == b"HTTP/1.1 200"
        assert page(web)[0] == 200


def test_a_reader_who_takes_nothing_is_cut_off(web):
    with crowd(web, 1, LARGE_FILE) as [one]:
        assert one.recv(12) == b"HTTP/1.1 200"
        own = one.getsockname()
        assert wait_for(lambda: own not in [there.raddr for there in PROCESSES[web].net_connections()])
        assert len(answer_of(one)) < LARGE


@pytest.mark.parametrize("sending", [HEAD, BODY + FORM + b"x"], ids=["head", "body"])
def test_half_a_request_is_told_that_its_time_is_over(web, sending):
    with crowd(web, 1, sending) as [one]:
        said = answer_of(one)
    assert said.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    assert b"did not arrive in time" in said


def test_a_head_that_drips_has_no_more_time_than_another(web):
    with crowd(web, 1) as [one]:
        for byte in HEAD * 10:
            try:
                one.sendall(bytes([byte]))
            except OSError:
                break
            if not is_open(one):
                break
            time.sleep(0.2)
        else:
            pytest.fail("it was never closed")


def test_a_body_that_moves_is_waited_for(web):
    """Waits longer than for a stalled one, at twice the least speed."""
    with crowd(web, 1, BODY + FORM.replace(b"100000", b"16000")) as [one]:
        for _ in range(16):
            one.sendall(b"x" * 1000)
            time.sleep(0.5)
        assert b" 403 " in one.recv(65536)  # the whole form was read: it lacks its token


def test_idle_connections_of_one_address_make_room_for_its_next_one(patient):
    with crowd(patient, 3 * AN_ADDRESS, addresses=1) as connections:
        assert page(patient, source="127.2.0.1")[0] == 200
        wait_for(lambda: sum(map(is_open, connections)) <= AN_ADDRESS)


def test_an_address_has_so_many_connections_under_way_and_others_have_theirs(patient):
    """Where none is cut off meanwhile, however busy the machine is."""
    with crowd(patient, AN_ADDRESS, BODY + FORM + b"x", addresses=1):
        assert page(patient)[0] == 200  # they have been read before
        with crowd(patient, 1, HEAD, addresses=1) as [one]:
            said = answer_of(one)
    assert said.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    assert b"Retry-After: 5" in said
    assert said.endswith(b"Too many connections from your address.\n")


def test_behind_a_proxy_its_own_address_is_not_bounded(folder):
    proxied = server(folder, "benchsite.supervisor.web_server", PROXIES="1", **LONG)
    with proxied as port, crowd(port, 2 * AN_ADDRESS, BODY + FORM + b"x", addresses=1) as connections:
        assert page(port)[0] == 200  # they have been read before
        assert page(port, source="127.2.0.1")[0] == 200
        assert all(map(is_open, connections))


def test_more_connections_than_there_is_room_for_close_the_longest_waiting(patient):
    with crowd(patient, CONNECTIONS + 50) as connections:
        assert page(patient)[0] == 200
        assert wait_for(lambda: sum(map(is_open, connections)) <= CONNECTIONS)


def test_one_connection_asks_again_and_again(web):
    """Also after a response without a body, which has no length."""
    call = http.client.HTTPConnection("127.0.0.1", web, timeout=PATIENCE)
    call.request("GET", "/", headers={"Host": "localhost"})
    first = call.getresponse()
    first.read()
    sock = call.sock
    for _ in range(3):
        call.request("HEAD", "/healthz", headers={"Host": "localhost"})
        call.getresponse().read()
    assert call.sock is sock is not None


class Counted(Connection):
    """A connection that notes the size of each piece it sends."""

    sizes: ClassVar[list[int]] = []

    def send(self, data: bytes, do_close: bool = True) -> int:
        self.sizes.append(len(data))
        return super().send(data, do_close)


def test_a_short_answer_is_sent_whole(monkeypatch):
    """Its head and body in one piece wake the client, and cost the server a system call, once."""

    def application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Length", "5")])
        return [b"short"]

    monkeypatch.setattr(Counted, "sizes", [])
    with socket.create_server(("127.0.0.1", 0)) as sock:
        address = sock.getsockname()
        facts = (sock.family, sock.type, sock.proto, address)
        server = BoundedServer(application, ClientLimits(9, 9, 9, 9, 9), _sock=sock, sockinfo=facts, threads=1)
        server.channel_class = Counted
        thread = threading.Thread(target=server.run)
        thread.start()
        assert urlopen(f"http://127.0.0.1:{address[1]}/").read() == b"short"  # our own
        server.stop()
        thread.join(PATIENCE)
    assert len(Counted.sizes) == 1


def test_a_file_comes_in_pieces_as_asked_for(web):
    call = http.client.HTTPConnection("127.0.0.1", web, timeout=PATIENCE)
    call.request("GET", "/static/large.bin", headers={"Host": "localhost", "Range": "bytes=1000-1999"})
    answer = call.getresponse()
    assert (answer.status, answer.getheader("Content-Range")) == (206, f"bytes 1000-1999/{LARGE}")
    assert answer.read() == bytes(1000)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 40_000 + b"\r\n\r\n", 431),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nBad\rHeader: 1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: zip\r\n\r\n", 501),
    ],
)
def test_a_request_that_can_not_be_is_refused_in_words(web, head, status):
    with crowd(web, 1, head) as [one]:
        assert answer_of(one)[:12] in (b"HTTP/1.0 %d" % status, b"HTTP/1.1 %d" % status)


def test_what_is_under_way_is_answered_when_the_process_is_told_to_stop(folder):
    beginning = BODY + FORM.replace(b"100000", b"100") + b"x" * 99
    with (
        server(folder, "benchsite.supervisor.web_server", STALL_SECONDS="60") as port,
        crowd(port, 1, beginning) as [one],
    ):
        assert page(port)[0] == 200  # the body's beginning has been read before
        PROCESSES[port].terminate()
        time.sleep(0.5)
        one.sendall(b"x")
        assert b" 403 " in answer_of(one)


@pytest.mark.parametrize("sending", [b"", HEAD], ids=["nothing", "half a head"])
def test_a_websocket_is_opened_beside_slow_clients_which_are_told_that_their_time_is_over(sockets, sending):
    with crowd(sockets, 100, sending) as connections:
        with connect(f"ws://127.0.0.1:{sockets}/ws/boards/grasp/", open_timeout=PATIENCE) as board:
            assert "version" in json.loads(board.recv(PATIENCE))
        assert answer_of(connections[0]).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_an_address_has_so_many_websockets(sockets):
    address = f"ws://127.0.0.1:{sockets}/ws/boards/grasp/"
    with contextlib.ExitStack() as stack:
        for _ in range(AN_ADDRESS):
            stack.enter_context(connect(address, source_address=("127.2.0.9", 0), open_timeout=PATIENCE))
        with pytest.raises(InvalidStatus, match="429"):
            connect(address, source_address=("127.2.0.9", 0), open_timeout=PATIENCE)
        with connect(address, source_address=("127.2.0.8", 0), open_timeout=PATIENCE) as board:
            assert board.recv(PATIENCE)


def test_memory_is_handed_back_when_a_crowd_has_left(folder):
    wide = {"CONNECTIONS": "1000", "CONNECTIONS_AN_ADDRESS": "1000"}
    with server(folder, "benchsite.supervisor.websocket_server", started, **MEMORY, **wide) as port:
        asyncio.run(websocket_memory.crowd(port, 20, PROCESSES[port]))
        before = websocket_memory.megabytes(PROCESSES[port])
        during = asyncio.run(websocket_memory.crowd(port, 600, PROCESSES[port]))
        assert during > before + 8
        wait_for(lambda: websocket_memory.megabytes(PROCESSES[port]) < during - (during - before) / 3)
