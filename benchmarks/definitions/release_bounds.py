"""What may be read of a foreign folder, and what of it can be stored: no file that a name or a link leads to elsewhere,
and no text that a database refuses."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unicodedata import normalize

from benchmarks.definitions.definition import ItemRow, Release
from benchmarks.errors import BadRelease

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # NUL, and halves of surrogate pairs, which JSON may hold
WORDS = "holds a NUL or half of a surrogate pair, which can't be stored"
LONGEST_KEY, LONGEST_ANSWER, LONGEST_FACET, LONGEST_PATH = 120, 200, 60, 200  # letters
FEW = 6  # names listed before the rest is counted
LITTER = frozenset(("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"))  # of file managers


def is_litter(name: str) -> bool:
    """Whether a file manager put this file into its folder or archive: a note of its own."""
    return not LITTER.isdisjoint(name.split("/"))


def is_storable(text: str) -> bool:
    return not UNSTORABLE.search(text)


def is_within(path: Path, root: Path) -> bool:
    """Whether the path stays in the folder, after all links and dots."""
    try:
        path.exists()  # raises OSError for too long a name, which `resolve` accepts
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, ValueError, RuntimeError):  # too long a name, a NUL, links in a circle
        return False


def file_within(name: str, root: Path) -> Path | None:
    """The file of this name in the folder, whichever way its umlauts are written; None if there is none."""
    paths = (root / spelling for spelling in dict.fromkeys((name, normalize("NFC", name), normalize("NFD", name))))
    return next((path for path in paths if is_within(path, root) and path.is_file()), None)


def first_few(names: Sequence[str], others: str = "more") -> str:
    """The names in a row; of many the first six, and how many others there are."""
    rest = len(names) - FEW
    return ", ".join(names[:FEW]) + (f" and {rest} {others}" if rest > 0 else "")


def json_of(path: Path, name: object, *, hook: Any = None) -> Any:
    """What the JSON file holds; `hook` makes objects of pairs. Raises BadRelease with this name if it can't be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=hook)
    except (ValueError, RecursionError) as error:
        raise BadRelease(f"{name}: not readable as JSON, perhaps cut off ({error})") from None


def refuse_links(root: Path) -> None:
    """Raise BadRelease at the first link in the folder that leads out of it; nothing is read before."""
    for folder, folders, files in os.walk(root):
        for path in (Path(folder, name) for name in (*folders, *files)):
            if path.is_symlink() and not is_within(path, root):
                name = path.relative_to(root).as_posix()
                raise BadRelease(f"{name}: is a link that leads out of the folder; copy what it leads to (cp -rL does)")


def refuse_release(release: Release, root: Path) -> None:
    """Raise BadRelease at the first file outside of the folder, or at the first text that can't be stored."""
    for clip in release.clips:
        for path in filter(None, (clip.path, clip.trajectory)):
            if not is_within(path, root):
                raise BadRelease(f"{clip.key[:80]!r}: leads out of the folder")
        if len(clip.key) > LONGEST_KEY:
            raise BadRelease(f"{clip.key[:80]!r}…: the name of a clip has at most {LONGEST_KEY} letters")
    for path in (*release.texts, *(clip.path for clip in release.clips)):
        if len(path.relative_to(release.root).as_posix()) > LONGEST_PATH:
            raise BadRelease(f"{path.name[:80]!r}: its path in the folder has more than {LONGEST_PATH} letters")
    for row in release.rows:
        for what in _problems(row):
            raise BadRelease(f"question {row.key[:80]!a}: {what}")


def _problems(row: ItemRow) -> Iterator[str]:
    values = [value for values in row.facets.values() for value in values]
    texts = (row.key, row.text, row.lead_in, row.expected or "", row.group, *row.options, *values)
    if not is_storable("".join((*texts, *row.reference.values()))):
        yield WORDS
    for name, text, longest in (
        ("its name", row.key, LONGEST_KEY),
        ("its group", row.group, LONGEST_KEY),
        ("its answer", row.expected or "", LONGEST_ANSWER),
        *(("the value of a facet", value, LONGEST_FACET) for value in values),
    ):
        if len(text) > longest:
            yield f"{name} has {len(text)} letters; at most {longest} can be stored"
