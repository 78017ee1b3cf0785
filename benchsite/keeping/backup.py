"""Writes the site's whole state into one file, while the site works.

The database is read as of one moment. Every file that a row of that moment names is in the backup: files are held
(linked) before the moment and looked for again after it, and none is ever changed once it is written.
"""

import hashlib
import hmac
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from benchsite.keeping.archive import Writer, writing
from benchsite.keeping.contents import LEFT_OUT, columns, tables
from benchsite.keeping.files import Files, Folder, places
from benchsite.keeping.rows import write_rows
from benchsite.keeping.snapshot import snapshot
from benchsite.serving import site_secret

Show = Callable[[str, int, int], None]  # what, done, total
HOLDS = ".backup-"


def back_up(target: Path, show: Show) -> dict[str, Any]:
    """Facts about what was written: rows a table, files, bytes."""
    with ExitStack() as stack:
        held = {folder: stack.enter_context(holding(files)) for folder, files in places().items()}
        alias = stack.enter_context(snapshot())
        for hold in held.values():
            hold.look_again()
        writer = stack.enter_context(writing(target))
        counted = _write_tables(writer, alias, show)
        gone = _write_files(writer, held, show)
        facts = {
            "version": settings.VERSION,
            "made_at": timezone.now().isoformat(),
            "database": connections[alias].vendor,
            "migrations": sorted(MigrationRecorder(connections[alias]).applied_migrations()),
            "tables": counted,
            "left_out": sorted(LEFT_OUT),
            "gone_meanwhile": gone,
            "secret_key_print": key_print(),
        }
        writer.finish(facts)
    return {"rows": sum(one["rows"] for one in counted.values()),
            "files": len(writer.parts) - len(counted), "gone_meanwhile": len(gone),
            "bytes": target.stat().st_size}  # fmt: skip


def key_print() -> str:
    """Tells whether two installations have the same SECRET_KEY, and nothing about it."""
    return hmac.new(site_secret().encode(), b"backup", hashlib.sha256).hexdigest()[:16]


def _write_tables(writer: Writer, alias: str, show: Show) -> dict[str, dict[str, Any]]:
    every = tables()
    total = sum(model._base_manager.using(alias).count() for model in every)
    done, counted = 0, {}

    def tell(count: int) -> None:
        nonlocal done
        done += count
        show("Rows", done, total)

    with tempfile.TemporaryDirectory(dir=settings.VAR_DIR) as folder:
        for model in every:
            label, part = model._meta.label, Path(folder) / "part"
            rows = write_rows(model, columns(model), using=alias, target=part, tell=tell)
            with part.open("rb") as file:
                writer.add(f"database/{label}.jsonl.gz", file, part.stat().st_size)
            counted[label] = {"rows": rows, "columns": [field.attname for field in columns(model)]}
    return counted


def _write_files(writer: Writer, held: dict[str, "Held"], show: Show) -> list[str]:
    """Names of files that were there at first and went before they could be read: withdrawn meanwhile."""
    every = [(folder, hold, name) for folder, hold in held.items() for name in hold.names]
    gone = []
    for done, (folder, hold, name) in enumerate(every, 1):
        try:
            with hold.open(name) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(0)
                writer.add(f"{folder}/{name}", file, size)
        except FileNotFoundError:
            gone.append(f"{folder}/{name}")
        show("Files", done, len(every))
    return gone


class Held:
    """Names of files, whose content stays readable even when they are deleted meanwhile (in a folder)."""

    def __init__(self, files: Files, folder: Path | None) -> None:
        self.files, self.folder = files, folder
        self.names: list[str] = []
        self.look_again()

    def look_again(self) -> None:
        known = set(self.names)
        for name in self.files.names():
            if name not in known:
                self._hold(name)
                self.names.append(name)

    def _hold(self, name: str) -> None:
        if self.folder is None:
            return
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # gone already, or a file system without links: then it is read where it lies
            os.link(self.folder.parent / name, target)

    def open(self, name: str) -> Any:
        if self.folder and (self.folder / name).is_file():
            return (self.folder / name).open("rb")
        return self.files.open(name)


@contextmanager
def holding(files: Files) -> Iterator[Held]:
    if not isinstance(files, Folder) or not files.root.is_dir():
        yield Held(files, None)
        return
    for left in files.root.glob(f"{HOLDS}*"):
        shutil.rmtree(left, ignore_errors=True)  # of a backup that was killed
    folder = files.root / f"{HOLDS}{secrets.token_hex(6)}"
    folder.mkdir()
    try:
        yield Held(files, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
