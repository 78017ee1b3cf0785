"""Repeated uploads: sending a file again changes nothing and reports its stored clips."""

from collections.abc import Sequence
from dataclasses import dataclass

from extensions.annotation.material.review import clips_of
from extensions.annotation.material.uploads import FileKnown
from extensions.annotation.models import FileState, MaterialFile

NAMED = 10  # names in one sentence


@dataclass(frozen=True)
class StoredFile:
    """A stored file, with its numbers of clips and of kept clips."""

    name: str  # its name in the new upload
    file: MaterialFile
    clips: int
    kept: int

    @property
    def problem(self) -> str:
        """Why it can't be used, if its first upload was refused; else an empty string."""
        is_refused = self.file.state == FileState.REFUSED
        return self.file.problem.replace(f"{self.file.name}:", f"{self.name}:", 1) if is_refused else ""

    def __str__(self) -> str:
        called = self.name if self.name == self.file.name else f"{self.name} (as {self.file.name})"
        if self.file.is_open:
            return f"{called}: waits to be read"
        return f"{called}: {self.clips} {'clip' if self.clips == 1 else 'clips'}, {self.kept} kept"


def known(error: FileKnown) -> StoredFile:
    """The stored state of the file."""
    error.same.refresh_from_db()
    clips = [clip for clip in clips_of(error.same.material) if clip.file_id == error.same.pk]
    return StoredFile(error.name, error.same, len(clips), sum(clip.is_kept for clip in clips))


def here_already(found: Sequence[StoredFile], sent: int) -> str:
    """One sentence about all files that were stored before."""
    named = "; ".join(map(str, found[:NAMED])) + (f"; and {len(found) - NAMED} more" if len(found) > NAMED else "")
    are = "file is" if sent == 1 else f"files {'is' if len(found) == 1 else 'are'}"
    them = "it" if len(found) == 1 else "them"
    return f"{len(found)} of {sent} {are} here already, and nothing of {them} was changed: {named}"
