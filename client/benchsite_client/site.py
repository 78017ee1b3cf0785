"""One benchsite over HTTP: what its API reads and takes. Every error is a ClientError in a sentence."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

if TYPE_CHECKING:
    from benchsite_client.answering import Work
    from benchsite_client.clipsets import ClipSet

API = "/api/v1"
PAGE = 500  # rows of a list that one call brings
TRIES, PAUSE = (
    5,
    1.0,
)  # calls that may fail for a moment, and seconds before the second one; each pause is twice as long
LONGEST_PAUSE = 60.0
AGAIN = {429, 502, 503, 504}
LOOK, PATIENCE = 1.0, 600.0  # seconds between two looks at a file that is being checked, and without any news of it

Progress = Callable[[int, int], None]  # done, total


class ClientError(Exception):
    """What went wrong, in a sentence; `problems` has a line for each place in the file that was sent."""

    def __init__(self, message: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


@dataclass(frozen=True)
class Item:
    """One question: its id, text, options and the addresses of its clips; `facts` is all that the API says."""

    id: str
    text: str
    options: tuple[str, ...]
    clips: tuple[str, ...]
    facts: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Item:
        options, clips = (tuple(facts.get(name) or ()) for name in ("options", "clips"))
        return cls(facts["public_id"], facts["text"], options, clips, facts)


@dataclass(frozen=True)
class Report:
    """What the site found in a file: rows, score (None while it is hidden), notes, and the run if it was stored."""

    rows: int
    score: float | None
    notes: tuple[str, ...]
    run: int | None
    listing: str


class Rows(list[dict[str, str]]):
    """Rows of a table, by its heads; `frame` has them with numbers as a pandas.DataFrame."""

    def __init__(self, table: str) -> None:
        super().__init__(csv.DictReader(io.StringIO(table)))
        self.csv = table

    @property
    def frame(self) -> Any:
        try:
            import pandas
        except ImportError:
            raise ClientError("pip install pandas brings data frames") from None
        return pandas.read_csv(io.StringIO(self.csv))


class Site:
    """A benchsite at this address. Reading needs no key; `key` is made on the account page."""

    def __init__(self, address: str, key: str = "", *, transport: httpx.BaseTransport | None = None) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ClientError(f"{address!r} is no address: it starts with https:// or http://")
        headers = {"Authorization": f"Token {key}"} if key else {}
        timeout = httpx.Timeout(60.0, connect=10.0)
        self.address = f"{parts.scheme}://{parts.netloc}"
        self._http = httpx.Client(
            base_url=self.address,
            headers={"User-Agent": "benchsite-client", **headers},
            timeout=timeout,
            transport=transport,
        )

    # --- reading ---

    def boards(self) -> list[dict[str, Any]]:
        """Every benchmark with a board: its levels, strategies, packs and splits."""
        found: list[dict[str, Any]] = self.call("GET", f"{API}/boards/")["boards"]
        return found

    def board(self, benchmark: str, **view: str) -> dict[str, Any]:
        """One view of a board, by the parameters of the board's page: level, strategy, condition, pack, split …"""
        found: dict[str, Any] = self.call("GET", f"{API}/boards/{benchmark}/", params=view)
        return found

    def benchmark(self, slug: str) -> dict[str, Any]:
        found: dict[str, Any] = self.call("GET", f"{API}/benchmarks/{slug}/")
        return found

    def compare(self, first: str, second: str) -> dict[str, Any]:
        """Two rows, by their keys on a board (`run-1`, `trial-NAME`), on the items that both answered."""
        found: dict[str, Any] = self.call("GET", f"{API}/compare/", params={"a": first, "b": second})
        return found

    def items(self, benchmark: str, **filters: str) -> Iterator[Item]:
        """Items that are not sealed, page by page; filters are pack, strategy, split, kind and facet (NAME:VALUE)."""
        yield from map(Item.of, self.rows("items", benchmark=benchmark, **filters))

    def item(self, public_id: str) -> dict[str, Any]:
        """One item with people's answers, as far as they are public."""
        found: dict[str, Any] = self.call("GET", f"{API}/items/{public_id}/")
        return found

    def rows(self, what: str, **filters: str) -> Iterator[dict[str, Any]]:
        """All rows of one of the API's lists: items, models, runs, standings, trials, snapshots …"""
        address: str | None = f"{API}/{what}/"
        params: dict[str, Any] | None = {"page_size": PAGE, **filters}
        while address:
            page = self.call("GET", address, params=params)
            yield from page["results"]
            address, params = page["next"], None

    def clip(self, address: str, folder: Path) -> Path:
        """The clip as a file in `folder`; one that is there is kept, and a part of one is completed.

        Raises ClientError if its bytes are not those that the site stored.
        """
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / address.rpartition("/")[2]
        if target.exists():
            return target
        part = target.with_suffix(f"{target.suffix}.part")
        self._call(lambda: self._receive(address, part))
        part.replace(target)
        return target

    def _receive(self, address: str, part: Path) -> httpx.Response:
        """Append what is missing to `part`, and check the whole by its digest."""
        size = part.stat().st_size if part.exists() else 0
        headers = {"Range": f"bytes={size}-"} if size else {}
        with self._http.stream("GET", address, headers=headers) as response:
            if response.status_code == 416:  # all of it is here, or something else
                part.unlink()
                return self._receive(address, part)
            if response.status_code not in (200, 206):
                response.read()
                return response
            with part.open("ab" if response.status_code == 206 else "wb") as file:
                for piece in response.iter_bytes():
                    file.write(piece)
        name, _, digest = response.headers.get("Repr-Digest", "").partition("=")  # RFC 9530
        if name == "sha-256" and digest != f":{_digest(part)}:":
            part.unlink()
            raise ClientError(f"{address}: the bytes that came are not those of the site; they were dropped")
        return response

    def study(self, slug: str, table: str = "votes", **filters: str) -> Rows:
        """People's answers: `votes` by item, once they are public; else a table of your own closed study's data set.

        Those are `long` (every counted answer), `judgments`, `people` and `events`, for the key of the study's author.
        """
        if table == "votes":
            return Rows(self.text(f"{API}/trials/{slug}/votes/", format="csv", **filters))
        return Rows(self.text(f"{API}/trials/{slug}/export/", file=f"data/study-{slug}_table-{table}_data.csv"))

    def data_set(self, slug: str) -> bytes:
        """The anonymous data set of your own closed study as a ZIP."""
        return self._call(lambda: self._http.get(f"{API}/trials/{slug}/export/")).content

    def text(self, address: str, **params: str) -> str:
        """A file of the site in text."""
        return self._call(lambda: self._http.get(address, params=params)).text

    # --- answering and sending ---

    def work(self, **header: str) -> Work:
        """The items that a row needs: benchmark, pack, strategy, model; by default split "all", condition "video"."""
        from benchsite_client.answering import Work

        return Work(self, header)

    def lint(self, path: str | Path, **header: str) -> Report:
        """What `submit` would say of this file, by the site's own check; nothing is stored."""
        return self._sent(Path(path), header, check="true")

    def submit(self, path: str | Path, **header: str) -> Report:
        """Send a file of answers and wait until it is checked; tables and other tools' files need the header's fields.

        Raises ClientError, whose `problems` name each line and item, if anything is wrong: then nothing is stored.
        """
        return self._sent(Path(path), header)

    def _sent(self, path: Path, header: dict[str, str], **how: str) -> Report:
        sent = {"data": header | how, "files": {"file": (path.name, path.read_bytes())}}
        found = self.call("POST", f"{API}/submissions/", good=(422,), **sent)
        if "state" in found:
            address = f"{API}/submissions/uploads/{found['upload']}/"
            found = self.settled(found, lambda facts: facts["result"] or facts["state"] == "failed", address)
            if found["state"] == "failed":
                raise ClientError(f"{path.name}: {found['reason']}")
            found = found["result"]
        if not found["ok"]:
            problems = tuple(map(_sentence, found["problems"]))
            raise ClientError(f"{path.name}: nothing was stored, {len(problems)} problem(s)", problems)
        return Report(found["rows"], found["score"], tuple(found["notes"]), found.get("run"), found.get("listing", ""))

    def clipset(
        self, path: str | Path, pack: str, *, may_show: bool, progress: Progress = lambda done, total: None
    ) -> ClipSet:
        """Send a generator's clips for the prompts of `pack`: a folder of card.toml, manifest.csv and clips, or a ZIP.

        `may_show` is your word that raters and this site may show them. A call that broke off goes on by the same call.
        Raises ClientError, whose `problems` name line or field, if anything is wrong: then nothing is stored.
        """
        from benchsite_client.clipsets import send

        return send(self, Path(path), {"pack": pack, "right": may_show}, progress)

    # --- calls ---

    def settled(self, found: Any, is_settled: Callable[[Any], Any], address: str) -> Any:
        """The facts of something that was sent, asked for again until its check has ended."""
        last, until = found, time.monotonic() + PATIENCE
        while not is_settled(found):
            if found != last:
                last, until = found, time.monotonic() + PATIENCE
            if time.monotonic() > until:
                raise ClientError(f"{address}: was received and is not checked yet")
            time.sleep(LOOK)
            found = self.call("GET", address)
        return found

    def call(self, method: str, address: str, *, good: tuple[int, ...] = (), **options: Any) -> Any:
        """The JSON of one answer; ClientError if the site refuses, with a status that is not in `good`."""
        response = self._call(lambda: self._http.request(method, address, **options), good, is_safe=method != "POST")
        try:
            return response.json()
        except json.JSONDecodeError:
            raise ClientError(f"{address}: no JSON came; is this a benchsite?") from None

    def _call(
        self, send: Callable[[], httpx.Response], good: tuple[int, ...] = (), *, is_safe: bool = True
    ) -> httpx.Response:
        """The response, tried again while the site or the network is away for a moment.

        What is not safe to send twice is tried again only if it never reached the site, or the site refused it.
        """
        pause = PAUSE
        for attempt in range(1, TRIES + 1):
            try:
                response = send()
            except httpx.HTTPError as error:
                if attempt == TRIES or not (is_safe or isinstance(error, httpx.ConnectError)):
                    raise ClientError(f"the site can't be reached: {error}") from None
                wait = pause
            else:
                if response.is_success or response.status_code in good:
                    return response
                if response.status_code not in AGAIN or attempt == TRIES:
                    raise ClientError(_refusal(response))
                wait = _wait(response, pause)
            time.sleep(min(wait, LONGEST_PAUSE))
            pause *= 2
        raise AssertionError("the last attempt returns or raises")


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return base64.b64encode(found.digest()).decode()


def _wait(response: httpx.Response, pause: float) -> float:
    """The seconds that the site asks to wait."""
    wanted = response.headers.get("Retry-After", "")
    return float(wanted) if wanted.isdigit() else pause


def _refusal(response: httpx.Response) -> str:
    """What the site says about a call that it refused."""
    try:
        response.read()
        facts = response.json()
    except (ValueError, httpx.HTTPError):
        facts = None
    if isinstance(facts, dict):
        said = [f"{name}: {_flat(value)}" if name != "detail" else _flat(value) for name, value in facts.items()]
    else:
        said = []
    return f"{response.request.url.path}: {response.status_code}, {'; '.join(said) or response.reason_phrase}"


def _flat(value: Any) -> str:
    return ", ".join(map(_flat, value)) if isinstance(value, list) else str(value)


def _sentence(problem: dict[str, Any]) -> str:
    """One problem as the site prints it: its line and item, then what is wrong."""
    places = [f"line {problem['line']}" if problem["line"] else "", problem["item"] or ""]
    return ", ".join(filter(None, places)) + (": " if any(places) else "") + problem["what"]
