"""The attacker: HTTP access, an account that may upload, and public facts. It imports none of the site's code."""

import io
import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Protocol

# `make soak PART=seals` attacks a large site (all), then opens every place of the gate on a small one (places).
AT_FULL_SIZE, WITH_ALL_PLACES = (os.environ.get("SEALS") == part for part in ("all", "places"))
TOKEN = re.compile(r"""name=["']csrfmiddlewaretoken["'] value=["']([^"']+)["']""")
TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Answer:
    """An HTTP response: final address, status, headers, body, and the seconds that it took."""

    address: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float = 0.0

    @property
    def text(self) -> str:
        return unescape(self.body.decode("utf-8", "replace"))

    @property
    def words(self) -> str:
        """The visible text, without markup."""
        return " ".join(TAG.sub(" ", self.text).split())

    def json(self) -> Any:
        """The body parsed as JSON; {} if it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}


class Door(Protocol):
    """One browser with its own cookies."""

    secret: str  # CSRF token; "" until a page with a form was read

    def get(self, address: str, **headers: str) -> Answer: ...

    def post(
        self,
        address: str,
        fields: Mapping[str, Any],
        file: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer: ...


@dataclass(frozen=True)
class Target:
    """Items whose answers are to be guessed, and everything public about them."""

    name: str
    benchmark: str
    pack: str
    strategy: str
    split: str
    options: tuple[str, str]
    ids: tuple[str, ...]  # the items to guess, given to the attacker as if known from before they were sealed
    told: Mapping[str, str]  # sealed items whose answers the attacker knows, to learn from
    public: Mapping[str, str]  # items of the pack that aren't sealed, with their answers
    tests: Mapping[str, str] = field(default_factory=dict)  # id -> its test

    @property
    def known(self) -> dict[str, str]:
        return {**self.public, **self.told}

    @property
    def header(self) -> dict[str, str]:
        condition = "video" if self.benchmark == "grasp" else "question-only"
        return {
            "benchmark": self.benchmark,
            "pack": self.pack,
            "model": "Guess",
            "strategy": self.strategy,
            "condition": condition,
            "split": self.split,
        }

    def other(self, answer: str) -> str:
        return self.options[1] if answer == self.options[0] else self.options[0]


@dataclass
class Attacker:
    """A visitor, a submitter, an author of studies and a participant in one.

    `wait` lets staff and periodic tasks do their work.
    """

    visitor: Door
    member: Door
    author: Door
    targets: Sequence[Target]
    study: str
    wait: Callable[[], None]
    newcomer: Callable[[], Door]  # another browser, without cookies
    uploads: int = 0
    tokens: list[str] = field(default_factory=list)  # its participants in the study

    def target(self, name: str) -> Target:
        return next(target for target in self.targets if target.name == name)

    def upload(
        self, target: Target, rows: Sequence[Mapping[str, Any]], *, by_page: bool = False, **header: str
    ) -> Answer:
        """Upload a file of answers by the API or by the form; each upload has another model name."""
        self.uploads += 1
        head = target.header | {"model": f"Guess {self.uploads}"} | header
        content = "".join(json.dumps(row) + "\n" for row in (head, *rows)).encode()
        address = "/submit/" if by_page else "/api/v1/submissions/"
        return send(self.member, address, {}, content)


def send(door: Door, address: str, fields: Mapping[str, Any], file: bytes | None = None) -> Answer:
    """Post with a CSRF token, which is read once from a page with a form and stays valid."""
    if not door.secret and (found := TOKEN.search(door.get("/submit/").body.decode())):
        door.secret = found.group(1)
    return door.post(address, {**fields, "csrfmiddlewaretoken": door.secret}, file, {"X-CSRFToken": door.secret})


def as_file(content: bytes, name: str = "answers.jsonl") -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


@dataclass(frozen=True)
class Cost:
    """Seconds that a request took: by the clock, and of this process's processor, which other work doesn't disturb."""

    clock: float
    processor: float


def clocked(act: Callable[[], Answer], times: int = 3) -> Cost:
    """The least of several tries, each of clock and processor."""
    tries = [_timed(act) for _ in range(times)]
    return Cost(min(cost.clock for cost in tries), min(cost.processor for cost in tries))


def _timed(act: Callable[[], Answer]) -> Cost:
    began, spent = time.perf_counter(), time.process_time()
    act()
    return Cost(time.perf_counter() - began, time.process_time() - spent)


def downloaded(door: Door, target: Target) -> list[dict[str, Any]]:
    """The questions of the pack as this browser downloads them, with the addresses of their clips on the site."""
    lines = door.get(f"/benchmarks/{target.benchmark}/items.jsonl?pack={target.pack}").text.splitlines()
    rows = [json.loads(line) for line in lines if line.startswith("{")]
    return [row | {"clip": re.sub(r"^https?://[^/]+", "", row.get("clip") or "")} for row in rows]


def manifest_of(attacker: Attacker, target: Target) -> str:
    return str(attacker.visitor.get(f"/api/v1/packs/{target.benchmark}/{target.pack}/").json().get("manifest_hash"))


def wanted_items(attacker: Attacker, target: Target) -> list[str]:
    """Every item that a file must answer, read from the submission template."""
    header = {name: value for name, value in target.header.items() if name not in ("model", "benchmark", "pack")}
    query = "&".join(f"{name}={value}" for name, value in header.items())
    lines = attacker.member.get(f"/submit/empty/?pack={target.benchmark}/{target.pack}&{query}").text.splitlines()
    return re.findall(r'"item": "([a-z0-9]+)"', "\n".join(lines))
