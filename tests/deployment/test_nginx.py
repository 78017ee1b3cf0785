"""docker/nginx.conf in a real nginx: the files and headers of a folder and of a store that it sends or hides."""

import json
import re
import threading
import time
import urllib.error
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from benchsite.serving.serve import free_port
from tests.deployment.cluster import HOST, STORE_SECONDS, running_nginx
from tests.site import PATIENCE, wait_for

pytestmark = pytest.mark.nginx
TOKEN = "tok3nOfAParticipant"
CLIP = bytes(range(250)) * 4
FOR_EVER = "public, max-age=31536000, immutable"


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words) -> None:
        pass


class Web(Answering):
    """Answers each address with the clip's internal location, like the site."""

    ids: list[str] = []  # of the requests, the latest last
    named: list[str | None] = []  # nginx's id of each

    def do_GET(self) -> None:
        self.ids.append(uuid4().hex)
        self.named.append(self.headers["X-Request-ID"])
        where, what = self.path.partition("?")[0].split("/")[-2:]
        stored = f"/stored/bucket/clips/a.mp4?X-Amz-Key=k%2F1&says={what}"
        told = {"X_Clip_Cache": FOR_EVER, "X_Request_ID": self.ids[-1], "ETag": '"ours"', "Content_Type": "video/mp4"}
        self.answer(200, b"", X_Accel_Redirect=f"/kept/clips/{what}" if where == "folder" else stored, **told)


class Store(Answering):
    """Answers as the address says, with typical headers of a store."""

    heard: list[tuple[str, dict]] = []

    def do_GET(self) -> None:
        self.heard.append((self.path, dict(self.headers)))
        says = self.path.rpartition("=")[2]
        told = {"Last_Modified": "Sat, 01 Jan 2022 00:00:00 GMT", "ETag": '"theirs"', "x_amz_request_id": "1"}
        if says == "slow":
            time.sleep(float(STORE_SECONDS) + 1)
            self.close_connection = True  # nginx has given up; an error here would print among the lines of later tests
        elif says.isdigit():
            self.answer(int(says), b"<Error>in detail</Error>", **told)
        elif "Range" in self.headers:
            part = {"Content_Range": f"bytes 100-199/{len(CLIP)}", "Content_Type": "video/mp4"}
            self.answer(206, CLIP[100:200], **part, **told)
        else:
            self.answer(200, CLIP, Content_Type="video/mp4", **told)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("nginx")


@pytest.fixture(scope="module")
def address(folder):
    (folder / "media/clips").mkdir(parents=True)
    (folder / "media/clips/a.mp4").write_bytes(CLIP)
    servers = [ThreadingHTTPServer((HOST, 0), kind) for kind in (Web, Store)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    web, store = (server.server_address[1] for server in servers)
    with running_nginx(folder, port := free_port(HOST), [web], [web], f"http://{HOST}:{store}"):
        wait_for(lambda: urlopen(f"http://{HOST}:{port}/folder/a.mp4", timeout=PATIENCE))
        yield f"http://{HOST}:{port}"
    for server in servers:
        server.shutdown()


def get(address: str, **headers: str):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return urlopen(Request(address, headers=sent), timeout=20)


def logged(folder: Path) -> dict[str, dict]:
    """The lines of the access log by the site's id of the request; nginx writes one after it has answered."""
    lines = (folder / "access.log").read_text().splitlines(keepends=True)
    return {line["request"]: line for line in (json.loads(line) for line in lines if line.endswith("\n"))}


def told(answer) -> str:
    return " ".join(f"{name}: {value}" for name, value in answer.headers.items()).lower()


@pytest.mark.parametrize("path", ["/folder/a.mp4", "/store/clip"])
def test_a_clip_is_sent_whole_and_in_parts_under_our_tag(address, path):
    whole, part = get(address + path), get(address + path, Range="bytes=100-199", If_Range='"ours"')
    assert whole.read() == CLIP
    if path.startswith("/store"):  # a range is requested from the store, whatever ETag the browser has
        assert (part.status, part.read()) == (206, CLIP[100:200])
    assert get(address + path, Range="bytes=100-199").headers["Content-Range"] == f"bytes 100-199/{len(CLIP)}"
    assert whole.headers.get_all("Cache-Control") == [FOR_EVER]
    assert whole.headers.get_all("ETag") == ['"ours"']
    assert whole.headers["Content-Type"] == "video/mp4"
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search("last-modified|amz|theirs|x-accel|x-clip", told(whole) + told(part))


def test_a_visitor_does_not_choose_the_id_of_a_request(address):
    for _ in range(2):
        get(f"{address}/folder/a.mp4", X_Request_ID="chosen-by-a-visitor").read()
    first, second = Web.named[-2:]
    assert re.fullmatch(r"[0-9a-f]{32}", first)
    assert re.fullmatch(r"[0-9a-f]{32}", second)
    assert first != second


def test_the_store_hears_nothing_of_the_visitor(address):
    Store.heard.clear()
    get(f"{address}/store/clip", Cookie="sessionid=1", Authorization="Bearer key", Referer=f"{address}/p/token/").read()
    ((path, headers),) = Store.heard
    assert path == "/bucket/clips/a.mp4?X-Amz-Key=k%2F1&says=clip"
    assert not {"Cookie", "Authorization", "Referer", "X-Forwarded-For"} & set(headers)
    assert headers["Host"].startswith(HOST)


@pytest.mark.parametrize(
    ("path", "status"),
    [("/folder/gone.mp4", 404), ("/store/404", 404), ("/store/403", 503), ("/store/500", 503), ("/store/slow", 503)],
)
def test_errors_are_in_words_of_ours_and_never_kept(address, path, status):
    with pytest.raises(urllib.error.HTTPError) as refused:
        get(address + path)
    assert refused.value.code == status
    assert refused.value.headers.get_all("Cache-Control") == ["no-store"]
    assert refused.value.headers.get("Retry-After") == ("5" if status == 503 else None)
    assert "in detail" not in refused.value.read().decode()


@pytest.mark.parametrize(
    ("path", "area", "status"),
    [
        (f"/p/{TOKEN}/folder/a.mp4", "/p", 200),
        (f"/p/{TOKEN}/store/slow", "/p", 503),
        (f"/t/{TOKEN}/folder/gone.mp4?PROLIFIC_PID={TOKEN}", "/t", 404),
        (f"//p/{TOKEN}/folder/a.mp4", "/", 200),
        (f"/%70/{TOKEN}/folder/a.mp4", "other", 200),
        (f"/folder/a.mp4?{TOKEN}", "/folder", 200),
    ],
)
def test_no_token_of_a_participant_is_in_a_log(address, folder, path, area, status):
    with suppress(urllib.error.HTTPError):
        get(address + path, Referer=f"{address}/p/{TOKEN}/").read()
    line = wait_for(lambda: logged(folder).get(Web.ids[-1]))
    assert (line["area"], line["status"], line["method"]) == (area, status, "GET")
    written = [file.read_text() for file in folder.glob("*.log")]
    assert len(written) == 3
    assert not [text for text in written if TOKEN in text]


@pytest.mark.parametrize("path", ["/kept/clips/a.mp4", "/stored/bucket/clips/a.mp4", "/metrics"])
def test_what_is_inside_can_not_be_asked_for_by_name(address, path):
    with pytest.raises(urllib.error.HTTPError) as missing:
        get(address + path)
    assert missing.value.code == 404
