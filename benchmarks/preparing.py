"""The forms of a pack's clips that research models read, in the folders of PACS' prepared release."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.errors import BenchmarkError
from benchmarks.media import path_of
from benchmarks.media_store import clip_name, store
from benchmarks.models import Clip, Item, Pack, RenditionKind
from benchmarks.renditions import NoRendition, flipped_of, rendition_of

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
FLIPPED = "videos_flipped"  # by question and position, since the sound is the other clip's
NAMES = (*FOLDERS, FLIPPED)


@dataclass(frozen=True)
class Prepared:
    """How many files were written, and what could not be, by official key."""

    files: int
    problems: tuple[tuple[str, str], ...]


def prepare_pack(
    pack: Pack, out: Path, *, only: Sequence[str] = (), progress: Callable[[int, int], None] | None = None
) -> Prepared:
    """Write the wanted forms of every clip below `out`; what stands there already is kept."""
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
    return Prepared(files, tuple(problems))


def _work(pack: Pack, wanted: Sequence[str]) -> Iterator[tuple[str, str, Callable[[], Path]]]:
    """(official key, place below the folder, how to get the file)."""
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
