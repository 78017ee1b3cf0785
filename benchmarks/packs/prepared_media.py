"""Writes a pack's clips in the forms that research models read, in the folders of PACS' prepared release."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.errors import BenchmarkError
from benchmarks.models import Clip, Item, Pack, RenditionKind
from benchmarks.storage.access import path_of
from benchmarks.storage.renditions import NoRendition, flipped_of, rendition_of
from benchmarks.storage.store import clip_name, store

FOLDERS = {
    "videos": RenditionKind.ORIGINAL,
    "videos_muted": RenditionKind.MUTED,
    "videos_silent": RenditionKind.SILENT,
    "midframes": RenditionKind.MIDDLE_FRAME,
    "frame_with_box": RenditionKind.FRAME_WITH_BOX,
    "square_crop": RenditionKind.SQUARE_CROP,
    "center_with_box": RenditionKind.CROP_WITH_BOX,
    "audio16000": RenditionKind.SOUND_16000,
    "audio21992": RenditionKind.SOUND_21992,
    "audio44100": RenditionKind.SOUND_44100,
}
FLIPPED = "videos_flipped"  # one file per question and position, since the sound is the other clip's
NAMES = (*FOLDERS, FLIPPED)


@dataclass(frozen=True)
class PreparationReport:
    """The number of files written, and problems as (official key, reason)."""

    files: int
    problems: tuple[tuple[str, str], ...]


def prepare_pack(
    pack: Pack, out: Path, *, only: Sequence[str] = (), progress: Callable[[int, int], None] | None = None
) -> PreparationReport:
    """Write the wanted forms of every clip to `out`; existing files are kept."""
    for name in only:
        if name not in NAMES:
            raise BenchmarkError(f"there is no form {name!r}; there is: {', '.join(NAMES)}")
    wanted = [name for name in NAMES if not only or name in only]
    files, problems = 0, []
    work = list(_work(pack, wanted))
    for number, (where, target, make) in enumerate(work, start=1):
        try:
            files += _copy(make, out / target)
        except NoRendition as error:
            problems.append((where, str(error)))
        if progress:
            progress(number, len(work))
    return PreparationReport(files, tuple(problems))


def _work(pack: Pack, wanted: Sequence[str]) -> Iterator[tuple[str, str, Callable[[], Path]]]:
    """Each file to write, as (official key, path within the folder, function that returns its source)."""
    clips = Clip.objects.filter(pack=pack, withdrawn_at=None, problem="").select_related("pack").order_by("key")
    for clip in clips:
        for name in wanted:
            if name != FLIPPED:
                yield clip.key, f"{name}/{clip.key}", _form(clip, FOLDERS[name])
    if FLIPPED in wanted:
        for item in pack.items.askable().filter(media__position=1).distinct().select_related("pack"):
            for position in (0, 1):
                yield item.key, f"{FLIPPED}/{item.key}/{position + 1}", _flipped(item, position)


def _form(clip: Clip, kind: RenditionKind) -> Callable[[], Path]:
    return lambda: path_of(rendition_of(clip, kind))


def _flipped(item: Item, position: int) -> Callable[[], Path]:
    return lambda: store().local(clip_name(flipped_of(item, position).name))


def _copy(make: Callable[[], Path], target: Path) -> bool:
    source = make()
    place = target.with_name(target.name + source.suffix)
    if place.exists():
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, place)
    return True
