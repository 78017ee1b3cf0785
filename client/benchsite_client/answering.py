"""A model's answers to the items of one row, kept in a file that a later call continues, and a lint before sending."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchsite_client.site import ClientError, Item, Progress, Site

NEEDED = ("benchmark", "pack", "strategy", "model")
DEFAULTS = {"split": "all", "condition": "video"}
Reply = Callable[[Item, list[Path]], str]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a file of answers; line 0 is the file as a whole."""

    line: int
    item: str
    what: str

    def __str__(self) -> str:
        places = [f"line {self.line}" if self.line else "", self.item]
        return ", ".join(filter(None, places)) + (": " if any(places) else "") + self.what


class Work:
    """The items that a row of a board needs answers to."""

    def __init__(self, site: Site, header: dict[str, str]) -> None:
        if missing := [name for name in NEEDED if not header.get(name)]:
            raise ClientError(f"the header lacks {', '.join(missing)}")
        self.site, self.header = site, DEFAULTS | header
        self._items: list[Item] | None = None

    @property
    def items(self) -> list[Item]:
        """All items of pack, strategy and split; ClientError if there are none."""
        if self._items is None:
            wanted = {name: self.header[name] for name in ("benchmark", "pack", "strategy", "split")}
            self._items = list(self.site.items(**wanted))
            if not self._items:
                raise ClientError("no items: " + ", ".join(f"{name} {value!r}" for name, value in wanted.items()))
        return self._items

    def answer(
        self,
        reply: Reply,
        out: str | Path,
        *,
        clips: str | Path = "clips",
        progress: Progress = lambda done, total: None,
    ) -> Path:
        """Write the model's reply to every item into a file; items that the file has are not asked again.

        Clips are brought into the folder `clips` first. What `reply` raises ends the call, and what was answered stays.
        """
        out = Path(out)
        replied = self._replied(out)
        with out.open("a", encoding="utf-8") as file:
            if not replied and not out.stat().st_size:
                _write(file, self.header)
            for number, item in enumerate(self.items, 1):
                if item.id not in replied:
                    files = [self.site.clip(address, Path(clips)) for address in item.clips]
                    _write(file, {"item": item.id, "reply": reply(item, files)})
                progress(number, len(self.items))
        return out

    def _replied(self, path: Path) -> set[str]:
        """The items of a file of this row; an unfinished last line is cut off. ClientError if it is another row's."""
        if not path.exists() or not path.stat().st_size:
            return set()
        content = path.read_bytes()
        if not content.endswith(b"\n"):
            content = content[: content.rfind(b"\n") + 1]
            path.write_bytes(content)
        lines = [json.loads(line) for line in content.splitlines()]
        if lines and lines[0] != self.header:
            raise ClientError(f"{path}: its header is not {json.dumps(self.header)}; choose another file")
        return {line["item"] for line in lines[1:]}

    def findings(self, path: str | Path) -> list[Finding]:
        """What is wrong with a file of answers, by line and item, as the site would say; [] if it can be sent."""
        return list(_check(Path(path), {item.id: item for item in self.items}))


def read_header(path: str | Path) -> dict[str, str]:
    """The first line of a file of answers; ClientError if it is no header."""
    with Path(path).open(encoding="utf-8") as file:
        try:
            header = json.loads(file.readline())
        except ValueError:
            header = None
    if not isinstance(header, dict) or "item" in header or not all(isinstance(text, str) for text in header.values()):
        raise ClientError(f"{path}, line 1: is no header such as {json.dumps(dict.fromkeys(NEEDED, '…'))}")
    return header


def _check(path: Path, items: dict[str, Item]) -> Iterator[Finding]:
    seen: dict[tuple[str, Any], int] = {}
    kinds: set[str] = set()
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if number == 1 or not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                yield Finding(number, "", "is no JSON")
                continue
            if not isinstance(row, dict) or not isinstance(row.get("item"), str):
                yield Finding(number, "", 'has no "item"')
                continue
            yield from _check_row(number, row, items, seen, kinds)
    seeds = {seed for _, seed in seen} or {0}
    for seed in sorted(seeds, key=str):
        missing = [item for item in items if (item, seed) not in seen]
        if missing:
            first = ", ".join(missing[:5])
            yield Finding(0, "", f"{len(missing)} items have no answer with seed {seed}: {first}")


def _check_row(
    number: int, row: dict[str, Any], items: dict[str, Item], seen: dict[tuple[str, Any], int], kinds: set[str]
) -> Iterator[Finding]:
    name, kind = row["item"], [key for key in ("reply", "answer", "margin", "log_probs") if key in row]
    place = name, row.get("seed", 0)
    if name not in items:
        yield Finding(number, name, "is no item of this pack, strategy and split")
    elif place in seen:
        yield Finding(number, name, f"was answered in line {seen[place]} with the same seed")
    seen.setdefault(place, number)
    if len(kind) != 1:
        yield Finding(number, name, 'needs one of "reply", "answer", "margin" and "log_probs"')
        return
    kinds.add(kind[0])
    if len(kinds) > 1:
        yield Finding(number, name, f"has another kind of answer than the lines above: {kind[0]}")
    options = items[name].options if name in items else ()
    if kind[0] == "answer" and options and row["answer"] not in options:
        yield Finding(number, name, f"{str(row['answer'])[:40]!r} is none of {', '.join(options)}")
    if kind[0] == "reply" and not isinstance(row["reply"], str):
        yield Finding(number, name, "its reply is no text")


def _write(file: Any, row: dict[str, Any]) -> None:
    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    file.flush()


def by_program(command: Sequence[str]) -> Reply:
    """Replies of a program that is started once an item: the item and its clips come as JSON on its input."""

    def reply(item: Item, clips: list[Path]) -> str:
        question = {"item": item.id, "text": item.text, "options": item.options, "clips": [str(clip) for clip in clips]}
        try:
            done = subprocess.run(  # the caller's own program
                command, input=json.dumps(question), capture_output=True, text=True, check=True
            )
        except OSError as error:
            raise ClientError(f"{command[0]}: {error.strerror}") from None
        except subprocess.CalledProcessError as error:
            last = error.stderr.strip().splitlines()[-1:] or [""]
            raise ClientError(f"{command[0]} ended with {error.returncode} at item {item.id}: {last[0]}") from None
        return done.stdout.strip()

    return reply
