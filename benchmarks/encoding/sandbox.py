"""Sandboxed child processes that open untrusted media: a crash, a hang or exhausted memory affects only one clip."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any, ClassVar

from django.conf import settings

from benchmarks.encoding.conform import ClipFacts
from benchmarks.encoding.probe import UnreadableMedia

MEGABYTES = 3000  # address space; a clip with the largest picture takes about a third
SECONDS = 120  # of processor time per clip
BARE = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}  # the child's environment, without secrets
PATIENCE = 240.0  # seconds of real time after which the child is killed


class MediaChild:
    """A child process that handles one clip after another and is restarted if it died."""

    module: ClassVar[str] = "benchmarks.encoding.sandbox_child"  # what it runs

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def write_anew(self, source: Path, folder: Path, *, is_still: bool = False, poster: float = 0.5) -> ClipFacts:
        """Bring the clip or picture into its one form below `folder`; raises UnreadableMedia with the reason.

        `poster` is the relative position of its poster in the clip.
        """
        wanted = {"source": str(source.resolve()), "folder": str(folder), "is_still": is_still, "poster": poster}
        facts = self._answer(wanted)["facts"]
        return ClipFacts(**facts | {"changes": tuple(facts["changes"])})

    def changes_of(self, source: Path) -> tuple[str, ...]:
        """What an import would change in the clip, in words; writes nothing. Raises UnreadableMedia with the reason."""
        return tuple(self._answer({"source": str(source.resolve()), "folder": None})["changes"])

    def end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(BrokenPipeError):  # from a line that the dead child could no longer read
                    if pipe:
                        pipe.close()
            self._process = None

    def _answer(self, wanted: dict[str, Any]) -> dict[str, Any]:
        process = self._process = self._process or started(self.module, MEGABYTES, SECONDS)
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        try:
            process.stdin.write(json.dumps(wanted) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            watchdog.cancel()
        if not answer:
            self.end()
            raise UnreadableMedia("reading it took too long, or too much memory, or broke the decoder")
        found: dict[str, Any] = json.loads(answer)
        if "problem" in found:
            raise UnreadableMedia(found["problem"])
        return found


def started(module: str, *limits: int) -> "subprocess.Popen[str]":
    """Start a module of ours that opens untrusted media, as a process that exchanges lines and has no secrets."""
    command = [sys.executable, "-m", module, *map(str, limits)]
    return subprocess.Popen(
        command,
        cwd=settings.BASE_DIR,
        env=BARE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


class MediaChildren:
    """A pool that grows to the number of children used at once; a context manager that ends them all."""

    def __init__(self) -> None:
        self._free: LifoQueue[MediaChild] = LifoQueue()
        self._all: list[MediaChild] = []

    def __enter__(self) -> "MediaChildren":
        return self

    def __exit__(self, *how: object) -> None:
        for child in self._all:
            child.end()

    @contextmanager
    def one(self) -> Iterator[MediaChild]:
        try:
            child = self._free.get_nowait()
        except Empty:
            child = MediaChild()
            self._all.append(child)
        try:
            yield child
        finally:
            self._free.put(child)
