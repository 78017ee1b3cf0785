"""`manifest.csv`: which file is which prompt's clip. File names are never read for a meaning."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.files.table_text import csv_table
from extensions.generated.clipsets.findings import ClipSetFinding, error, note

NAME = "manifest.csv"
NEEDED, OPTIONAL = ("prompt", "file"), ("seed", "take")
SUFFIXES = (".mp4", ".webm", ".mov", ".mkv")


@dataclass(frozen=True)
class ManifestEntry:
    """One line: the clip of a prompt."""

    line: int
    prompt: str
    file: str
    seed: str
    take: str

    @property
    def place(self) -> str:
        return f"{NAME}, line {self.line}"


def read_manifest(text: str) -> tuple[list[ManifestEntry], list[ClipSetFinding]]:
    """The lines that can be used, and what is wrong with the others; nothing after a line that is no CSV is read."""
    entries, findings = [], []
    try:
        columns, rows = csv_table(NAME, text)
        if missing := [name for name in NEEDED if name not in columns]:
            return [], [
                error(f"{NAME}, line 1", "columns", f"has no column {missing[0]}; it needs {', '.join(NEEDED)}")
            ]
        for line, cells in rows:
            entry = ManifestEntry(line, **{name: cells.get(name, "").strip() for name in (*NEEDED, *OPTIONAL)})
            wrong = _wrong(entry)
            findings += [error(entry.place, *wrong)] if wrong else []
            entries += [] if wrong else [entry]
    except BadDefinition as broken:
        findings += [error(f"{NAME}, line {mistake.line}", "csv", mistake.what) for mistake in broken.mistakes]
    return entries, findings


def _wrong(entry: ManifestEntry) -> tuple[str, str] | None:
    """Code and sentence of what keeps a line from naming a clip."""
    if not (entry.prompt and entry.file):
        return "empty", f"{'file' if entry.prompt else 'prompt'} is empty"
    path = PurePosixPath(entry.file)
    if path.is_absolute() or ".." in path.parts or "\\" in entry.file or not entry.file.isprintable():
        return "path", f"{entry.file!r} leads out of the folder"
    if path.suffix.lower() not in SUFFIXES:
        return "no-video", f"{entry.file!r} is no video; these are: {', '.join(SUFFIXES)}"
    return None


def check_entries(
    entries: Collection[ManifestEntry], prompts: Collection[str], files: Collection[str]
) -> Iterator[ClipSetFinding]:
    """Every prompt has its clips once, and every file its line."""
    yield from _unknown_prompts(entries, prompts)
    yield from _missing_prompts(entries, prompts)
    yield from _twice(entries)
    yield from _files(entries, files)
    if without := [entry for entry in entries if not entry.seed]:
        yield note(without[0].place, "no-seed", f"{len(without)} of {len(entries)} clips have no seed")


def _unknown_prompts(entries: Collection[ManifestEntry], prompts: Collection[str]) -> Iterator[ClipSetFinding]:
    known, folded = set(prompts), {prompt.casefold(): prompt for prompt in prompts}
    for entry in entries:
        if entry.prompt in known:
            continue
        if alike := folded.get(entry.prompt.casefold()):
            yield error(entry.place, "prompt-case", f"{entry.prompt!r} is no prompt; {alike!r} is, in other letters")
        else:
            yield error(entry.place, "prompt-unknown", f"{entry.prompt!r} is no prompt of this pack")


def _missing_prompts(entries: Collection[ManifestEntry], prompts: Collection[str]) -> Iterator[ClipSetFinding]:
    takes: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        takes[entry.take].add(entry.prompt)
    for prompt in prompts:
        if not any(prompt in named for named in takes.values()):
            yield error(NAME, "prompt-missing", f"no clip for {prompt!r}")
            continue
        for take, named in takes.items():
            if prompt not in named:
                yield error(NAME, "take-missing", f"no clip for {prompt!r} in take {take or '(without a name)'}")


def _twice(entries: Collection[ManifestEntry]) -> Iterator[ClipSetFinding]:
    first: dict[tuple[str, ...], ManifestEntry] = {}
    for entry in entries:
        for code, key, what in (
            ("clip-twice", ("clip", entry.prompt, entry.take), f"a second clip for {entry.prompt!r}"),
            ("file-twice", ("file", entry.file), f"{entry.file!r} again"),
        ):
            before = first.setdefault(key, entry)
            if before is not entry:
                yield error(entry.place, code, f"{what}; the first is in line {before.line}")
        key = ("seed", entry.prompt, entry.seed)
        before = first.setdefault(key, entry)
        if entry.seed and before is not entry and before.take != entry.take:
            yield error(entry.place, "seed-twice", f"seed {entry.seed} for {entry.prompt!r} is in line {before.line}")


def _files(entries: Collection[ManifestEntry], files: Collection[str]) -> Iterator[ClipSetFinding]:
    present, folded = set(files), {name.casefold(): name for name in files}
    for entry in entries:
        if entry.file in present:
            continue
        alike = folded.get(entry.file.casefold())
        more = f"; {alike!r} is, in other letters" if alike else ""
        yield error(entry.place, "file-missing", f"{entry.file!r} is not in the archive{more}")
    named = {entry.file for entry in entries}
    for name in sorted(present - named):
        yield error(name, "file-unnamed", f"is in no line of {NAME}")
