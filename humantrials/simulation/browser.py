"""A headless browser: follows redirects, reads forms, and retries while the network or the site is down."""

import http.client
import time
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit

PATIENCE = 60.0  # seconds that a site may be down, for example during a restart
REDIRECTS = (301, 302, 303)
REDIRECTS_OF_GET = (*REDIRECTS, 307, 308)  # these two repeat the method, and our site never sends them
PIECE = {"Range": "bytes=0-65535"}  # enough of a clip to see that it is served
JSON = {"Accept": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class SiteAway(ConnectionError):
    """The site did not answer for a minute."""


@dataclass(frozen=True)
class PageReply:
    """The reply, and the path after redirects."""

    status: int
    path: str
    text: str


class Visitor:
    """One person's connection to the site."""

    patience = PATIENCE

    def __init__(self, base_url: str, headers: Mapping[str, str] | None = None) -> None:
        self.base = urlsplit(base_url)
        self.headers = dict(headers or {})
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> PageReply:
        reply, location = self._ask("GET", path, None, headers or {})
        for _ in range(5):
            if not location:
                return reply
            reply, location = self._ask("GET", location, None, {})
        raise SiteAway(f"{path} leads round in circles")

    def post(
        self, path: str, fields: Mapping[str, str | list[str]], headers: Mapping[str, str] | None = None
    ) -> PageReply:
        reply, location = self._ask("POST", path, urlencode(fields, doseq=True), {**FORM, **(headers or {})})
        return self.get(location) if location else reply

    def close(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None

    def _ask(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[PageReply, str]:
        """Send one request, repeated while the site is down or answers 5xx. All requests are safe to repeat."""
        deadline, wait = time.monotonic() + self.patience, 0.1
        while True:
            try:
                return self._once(method, path, body, headers)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if time.monotonic() > deadline:
                    raise SiteAway(f"{self.base.geturl()}: {error}") from error
                time.sleep(wait)
                wait = min(2.0, wait * 2)

    def _once(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[PageReply, str]:
        kind = http.client.HTTPSConnection if self.base.scheme == "https" else http.client.HTTPConnection
        self._connection = self._connection or kind(self.base.netloc, timeout=30)
        self._connection.request(method, path, body, {**self.headers, **headers})
        answer = self._connection.getresponse()
        text = answer.read().decode(errors="replace")
        if answer.status >= 500:
            raise OSError(f"{method} {path}: status {answer.status}")
        followed = REDIRECTS_OF_GET if method == "GET" else REDIRECTS
        location = answer.headers.get("Location", "") if answer.status in followed else ""
        there = urlsplit(urljoin(f"{self.base.geturl()}{path}", location)) if location else None
        target = f"{there.path}?{there.query}".rstrip("?") if there else ""
        return PageReply(answer.status, path, text), target


class PageReader(HTMLParser):
    """The content of a page: hidden fields, answers, pictures, and the remaining clips."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.answers: list[str] = []
        self.positions: list[int] = []
        self.clips: list[str] = []
        self.pictures: list[str] = []
        self.choices: dict[int, list[str]] = {}  # position -> its answers
        self.follow_ups: dict[int, tuple[int, bool]] = {}  # position -> steps of how sure, whether why is asked
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "input" and attributes.get("type") == "hidden":
            self.fields.setdefault(attributes["name"], attributes.get("value", ""))
        elif tag == "button" and attributes.get("name") == "answer":
            self.answers.append(attributes["value"])
        elif tag == "video":
            self.clips.append(attributes["src"])
        elif tag == "img":
            self.pictures.append(attributes["src"])
        elif "data-position" in attributes:
            position, asks_why = int(attributes["data-position"]), "data-why" in attributes
            self.positions.append(position)
            if asks_why or "data-confidence" in attributes:
                self.follow_ups[position] = (int(attributes.get("data-confidence", 0)), asks_why)
        elif "data-value" in attributes and self.positions:
            self.choices.setdefault(self.positions[-1], []).append(attributes["data-value"])

    @property
    def step(self) -> str:
        """The step that this page belongs to; '' if it has no button."""
        return "trials" if self.positions else self.fields.get("step", "")
