"""Hides `var/` from other users of the machine: the database, the key, the queue, decoded frames."""

import contextlib
import os
import stat
from pathlib import Path

OTHERS = 0o077  # permissions of the group and of everybody else


def keep_new_files_private() -> None:
    """Create files as 600 and folders as 700 from now on, in this process and its children; media set their own."""
    os.umask(OTHERS)


def make(folder: Path) -> None:
    """Create the folder if it is missing, and close it to others, who then can't reach anything inside."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close(folder)


def close(path: Path) -> None:
    """Remove others' permissions; a file of another user, or on a read-only volume, stays as it is."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        if found.st_mode & OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)


def close_all(folder: Path) -> None:
    """Close the folder and everything below it: files become 600 and folders 700."""
    make(folder)
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            close(Path(here, name))
