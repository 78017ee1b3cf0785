"""Sandboxed processes that open media, shared by all imports of a session; the same clip is written anew once."""

import hashlib
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from benchmarks.encoding.conform import ClipFacts
from benchmarks.encoding.sandbox import MediaChild, MediaChildren


class SharedChildren(MediaChildren):
    """Four of five clips that tests import were imported before in the same session: their files are copied."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.facts: dict[str, ClipFacts] = {}
        self.lock = threading.Lock()

    @contextmanager
    def one(self) -> Iterator["ThriftyChild"]:  # type: ignore[override]
        with super().one() as child:
            yield ThriftyChild(self, child)

    def keep(self, kept: Path, folder: Path, facts: ClipFacts) -> None:
        with self.lock:  # two threads may have the same clip
            if kept.name not in self.facts:
                shutil.copytree(folder, kept)
                self.facts[kept.name] = facts

    def folder_of(self, source: Path, *how: object) -> Path:
        return self.folder / hashlib.sha256(source.read_bytes() + f"{source.suffix} {how}".encode()).hexdigest()


class ThriftyChild:
    def __init__(self, shared: SharedChildren, child: MediaChild) -> None:
        self.shared, self.child = shared, child

    def write_anew(self, source: Path, folder: Path, *, is_still: bool = False, poster: float = 0.5) -> ClipFacts:
        """As `MediaChild.write_anew`."""
        kept = self.shared.folder_of(source, is_still, poster)
        if kept.name not in self.shared.facts:
            facts = self.child.write_anew(source, folder, is_still=is_still, poster=poster)
            self.shared.keep(kept, folder, facts)
        else:
            shutil.copytree(kept, folder, dirs_exist_ok=True)
        return self.shared.facts[kept.name]

    def changes_of(self, source: Path) -> tuple[str, ...]:
        """As `MediaChild.changes_of`."""
        return self.child.changes_of(source)


@contextmanager
def media_children_stay(folder: Path) -> Iterator[None]:
    """Let all imports within the block share their processes: each would start its own, a third of a second each."""
    with SharedChildren(folder) as shared, pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.encoding.sandbox.MediaChildren", lambda: nullcontext(shared))
        yield
