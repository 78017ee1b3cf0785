"""Getting the files of a pack ready in a folder of their own: probed, written, padded to one size, named."""

import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.definition import ClipFile
from benchmarks.media_store import TRAJECTORY, opaque_name, sha256_of
from benchmarks.models import RenditionKind

PICTURES = {".png", ".jpg", ".jpeg"}  # files of clips that are still pictures
if TYPE_CHECKING:
    from benchmarks.media_children import MediaChild

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class StagedFile:
    """A file ready to be moved to where it is served."""

    path: Path
    name: str
    sha256: str
    size: int


@dataclass
class StagedClip:
    """One clip of the release with its files, or with the reason why it has none."""

    clip: ClipFile
    width: int = 0
    height: int = 0
    fps: float = 0.0
    frames: int = 0
    seconds: float = 0.0
    has_sound: bool = False
    problem: str = ""
    written: dict[str, Path] = field(default_factory=dict)
    files: dict[str, StagedFile] = field(default_factory=dict)


def stage_clips(
    clips: Sequence[ClipFile], folder: Path, *, manifest_hash: str, secret: bytes, progress: Progress | None
) -> list[StagedClip]:
    """Write every clip's files below `folder`; what opens them is a process with limits, one a thread."""
    staged = []

    from benchmarks.media_children import MediaChildren

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


def _stage(clip: ClipFile, folder: Path, child: "MediaChild") -> StagedClip:
    from benchmarks.media_probing import UnreadableMedia

    folder.mkdir()
    if clip.path.suffix.lower() in PICTURES:
        return _stage_picture(clip, folder)
    original, poster = folder / "original.mp4", folder / "poster.jpg"
    try:
        facts = child.write_anew(clip.path, folder.resolve())
    except UnreadableMedia as error:
        shutil.rmtree(folder)
        return StagedClip(clip, problem=str(error)[:200])
    written: dict[str, Path] = {RenditionKind.ORIGINAL: original, RenditionKind.POSTER: poster}
    for kind, kept in (
        (RenditionKind.SOURCE, None if facts.can_be_copied else clip.path),
        (TRAJECTORY, clip.trajectory),
    ):
        if kept:
            written[kind] = Path(shutil.copyfile(kept, folder / kind))
    return StagedClip(
        clip, facts.width, facts.height, facts.fps, facts.frames, facts.seconds, facts.has_sound, written=written
    )


def _stage_picture(clip: ClipFile, folder: Path) -> StagedClip:
    """A still picture, written anew so that the file tells nothing but its pixels."""
    from benchmarks.media_pictures import UNREADABLE, write_still

    picture, poster = folder / "picture.png", folder / "poster.jpg"
    try:
        width, height = write_still(clip.path, picture, poster)
    except UNREADABLE as error:
        shutil.rmtree(folder)
        return StagedClip(clip, problem=str(error)[:200])
    written: dict[str, Path] = {RenditionKind.PICTURE: picture, RenditionKind.POSTER: poster}
    return StagedClip(clip, width, height, fps=1.0, frames=1, written=written)


def _pad(staged: Sequence[StagedClip]) -> None:
    """Bring all clips to one size and all posters to one: a size would tell how much moves."""
    from benchmarks.media_encoding import CLIP_CLASS, POSTER_CLASS, pad_clip, pad_poster, size_class

    for kind, step, pad in (
        (RenditionKind.ORIGINAL, CLIP_CLASS, pad_clip),
        (RenditionKind.POSTER, POSTER_CLASS, pad_poster),
        (RenditionKind.PICTURE, POSTER_CLASS, pad_poster),
    ):
        paths = [clip.written[kind] for clip in staged if kind in clip.written]
        size = size_class([path.stat().st_size for path in paths], step)
        for path in paths:
            pad(path, size)
