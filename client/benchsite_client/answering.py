"""A model's answers to the items of one row, kept in a file that a later call continues."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchsite_client.site import ClientError, Item, Progress, Site

NEEDED = ("benchmark", "pack", "strategy", "model")
DEFAULTS = {"split": "all", "condition": "video"}
Reply = Callable[[Item, list[Path]], str]


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
