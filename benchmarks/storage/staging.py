"""Prepares a pack's files in a staging folder: probe, write, pad to one size, name."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.definitions.definition import ClipFile
from benchmarks.models import RenditionKind
from benchmarks.storage.store import TRAJECTORY, opaque_name, sha256_of

PICTURES = {".png", ".jpg", ".jpeg"}  # suffixes of clips that are still pictures
if TYPE_CHECKING:
    from benchmarks.encoding.conform import ClipFacts
    from benchmarks.encoding.sandbox import MediaChild

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class StagedFile:
    """A file ready to be stored."""

    path: Path
    name: str
    sha256: str
    size: int


@dataclass
class StagedClip:
    """One clip of the release with its files, or with the problem that left it without."""

    clip: ClipFile
    facts: "ClipFacts | None" = None
    problem: str = ""
    written: dict[str, Path] = field(default_factory=dict)
    files: dict[str, StagedFile] = field(default_factory=dict)


def stage_clips(
    clips: Sequence[ClipFile], folder: Path, *, manifest_hash: str, secret: bytes, progress: Progress | None
) -> list[StagedClip]:
    """Write every clip's files below `folder`; each thread has a sandboxed child process that opens them."""
    staged = []

    from benchmarks.encoding.sandbox import MediaChildren

    def stage(numbered: tuple[int, ClipFile]) -> StagedClip:
        with children.one() as child:
            return _stage(numbered[1], folder / str(numbered[0]), child)

    with MediaChildren() as children, ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for clip in pool.map(stage, enumerate(clips)):
            staged.append(clip)
            if progress:
                progress(len(staged), len(clips))
    _pad(staged)
    for clip in staged:
        for kind, path in clip.written.items():
            name = opaque_name(secret, f"{manifest_hash}/{clip.clip.key}", kind)
            clip.files[kind] = StagedFile(path, name, sha256_of(path), path.stat().st_size)
    return staged


def changes_in(clips: Sequence[Path]) -> Iterator[tuple[Path, str, str]]:
    """What an import would change in each video, and why it would be refused, in words; "" for nothing."""
    from benchmarks.encoding.sandbox import MediaChildren

    def look(clip: Path) -> tuple[Path, str, str]:
        with children.one() as child:
            return clip, *_changes(clip, child)

    videos = [clip for clip in clips if clip.suffix.lower() not in PICTURES]
    with MediaChildren() as children, ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        yield from pool.map(look, videos)


def _changes(clip: Path, child: "MediaChild") -> tuple[str, str]:
    from benchmarks.encoding.probe import UnreadableMedia

    try:
        return ", ".join(child.changes_of(clip)), ""
    except UnreadableMedia as error:
        return "", str(error)


def _stage(clip: ClipFile, folder: Path, child: "MediaChild") -> StagedClip:
    from benchmarks.encoding.probe import UnreadableMedia

    folder.mkdir()
    if not clip.path.stat().st_size:
        folder.rmdir()
        return StagedClip(clip, problem="the file is empty (0 bytes)")
    is_still = clip.path.suffix.lower() in PICTURES
    try:
        facts = child.write_anew(clip.path, folder.resolve(), is_still=is_still, poster=clip.poster)
    except UnreadableMedia as error:
        shutil.rmtree(folder)
        return StagedClip(clip, problem=str(error)[:200])
    served = (RenditionKind.PICTURE, "picture.png") if is_still else (RenditionKind.ORIGINAL, "original.mp4")
    written: dict[str, Path] = {served[0]: folder / served[1], RenditionKind.POSTER: folder / "poster.jpg"}
    if clip.trajectory:
        written[TRAJECTORY] = Path(shutil.copyfile(clip.trajectory, folder / TRAJECTORY))
    return StagedClip(clip, facts, written=written)


def _pad(staged: Sequence[StagedClip]) -> None:
    """Pad all clips to one file size and all posters to another, since sizes would reveal the amount of motion."""
    from benchmarks.encoding.encode import CLIP_CLASS, POSTER_CLASS, pad_clip, pad_poster, size_class

    for kind, step, pad in (
        (RenditionKind.ORIGINAL, CLIP_CLASS, pad_clip),
        (RenditionKind.POSTER, POSTER_CLASS, pad_poster),
        (RenditionKind.PICTURE, POSTER_CLASS, pad_poster),
    ):
        paths = [clip.written[kind] for clip in staged if kind in clip.written]
        size = size_class([path.stat().st_size for path in paths], step)
        for path in paths:
            pad(path, size)
