"""Keeps other users of the machine out of `var/`: the database, the key, the queue, decoded frames."""

import contextlib
import os
import stat
from pathlib import Path

OTHERS = 0o077  # permissions of the group and of everybody else


def keep_new_files_private() -> None:
    """From here on this process and its children create files as 600 and folders as 700; media say otherwise."""
    os.umask(OTHERS)


def make(folder: Path) -> None:
    """Create the folder where it is missing, and close it to others; what is in it can't be reached then."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close(folder)


def close(path: Path) -> None:
    """Take others' permissions away; a file of another user, or on a read-only volume, stays as it is.

    A file with a second name stays, too: a backup may have linked it from the media, which nginx reads.
    """
    with contextlib.suppress(OSError):
        found = path.lstat()
        is_linked = stat.S_ISLNK(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1)
        if found.st_mode & OTHERS and not is_linked:
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)


def close_all(folder: Path) -> None:
    """Close the folder and everything below it: files are 600 and folders 700 then."""
    make(folder)
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            close(Path(here, name))
