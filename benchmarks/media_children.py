"""Processes with limits that open foreign media for us: one that crashes, swells or hangs costs one clip alone."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, LifoQueue

from django.conf import settings

from benchmarks.media_probing import UnreadableMedia, VideoFacts

MEGABYTES = 3000  # of address space; a clip of the largest picture takes about a third of it
SECONDS = 120  # of the processor for one clip
BARE = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}  # its environment: nothing to be read out there
PATIENCE = 240.0  # seconds by the clock, after which nobody waits for it any longer


class MediaChild:
    """One such process, asked about one clip after the other; a new one is started where it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def write_anew(self, source: Path, folder: Path) -> VideoFacts:
        """Have the clip probed and written below `folder`; UnreadableMedia says why it can't be."""
        said = self._answer(json.dumps({"source": str(source.resolve()), "folder": str(folder)}))
        if "problem" in said:
            raise UnreadableMedia(said["problem"])
        return VideoFacts(**said["facts"])

    def end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(BrokenPipeError):  # of a line that it was no longer there to read
                    if pipe:
                        pipe.close()
            self._process = None

    def _answer(self, line: str) -> dict:
        process = self._process = self._process or started("benchmarks.media_child", MEGABYTES, SECONDS)
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(PATIENCE, process.kill)
        watchdog.start()
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        finally:
            watchdog.cancel()
        if not answer:
            self.end()
            raise UnreadableMedia("reading it took too long, or too much memory, or broke the decoder")
        return json.loads(answer)


def started(module: str, *limits: int) -> "subprocess.Popen[str]":
    """One of our modules that opens foreign media, in a process that reads and writes lines and knows no secrets."""
    command = [sys.executable, "-m", module, *map(str, limits)]
    return subprocess.Popen(
        command, cwd=settings.BASE_DIR, env=BARE, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip


class MediaChildren:
    """As many of them as are needed at once; use as a context, which ends them all."""

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
