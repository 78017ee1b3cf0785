"""Renditions made on first use; each is stored with its own hash under an opaque name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.encoding.boxes import Box, scaled
from benchmarks.errors import BenchmarkError
from benchmarks.models import Clip, FlippedClip, Item, Rendition, RenditionKind
from benchmarks.storage.access import decodable, path_of
from benchmarks.storage.store import FLIPPED, clip_name, naming_secret, opaque_name, sha256_of, staging, store

RATES = {RenditionKind.SOUND_16000: 16_000, RenditionKind.SOUND_21992: 21_992, RenditionKind.SOUND_44100: 44_100}


class NoRendition(BenchmarkError):
    """The clip has no such rendition: it is withdrawn, has no sound or box, or can't be read."""


def rendition_of(clip: Clip, kind: str) -> Rendition:
    """The clip's rendition of this kind, made if needed; raises NoRendition with the reason if there is none."""
    if standing := clip.renditions.filter(kind=kind).first():
        return standing
    identity = f"{clip.pack.manifest_hash}/{clip.key}"
    file = _stored_file(clip, kind, identity, lambda made: _write(clip, kind, made))
    return Rendition.objects.get_or_create(clip=clip, kind=kind, defaults=file)[0]


def flipped_of(item: Item, position: int) -> FlippedClip:
    """The item's clip at this position with the other clip's sound; raises NoRendition unless it has two clips."""
    from benchmarks.encoding.audio import write_with_sound_of

    if standing := item.flipped.filter(position=position).first():
        return standing
    clips = {media.position: media.clip for media in item.media.select_related("clip__pack")}
    if set(clips) != {0, 1} or position not in clips:
        raise NoRendition(f"item {item.public_id}: sounds are exchanged between two clips, here are {len(clips)}")
    seen_clip, sound_clip = clips[position], clips[1 - position]
    identity = f"{item.pack.manifest_hash}/{item.draw_key}/{position}"
    original = _original(seen_clip)
    file = _stored_file(
        seen_clip, FLIPPED, identity, lambda made: write_with_sound_of(path_of(original), decodable(sound_clip), made)
    )
    return FlippedClip.objects.get_or_create(item=item, position=position, defaults=file)[0]


def box_of(clip: Clip) -> Box | None:
    """The object's box on the clip's middle frame, in the clip's pixels; None if nothing is marked."""
    if "box" not in clip.facts:
        return None
    left, top, right, bottom = clip.facts["box"]
    wide, high = clip.facts["box_in"]
    return scaled((left, top, right, bottom), reference=(wide, high), to=(clip.width, clip.height))


def _stored_file(clip: Clip, kind: str, identity: str, write: Callable[[Path], None]) -> dict[str, Any]:
    """Make a file with `write` and store it; return the columns of its row."""
    from benchmarks.encoding.probe import MEDIA_ERRORS

    name = opaque_name(naming_secret(), identity, kind)
    with staging() as folder:
        made = folder / name
        try:
            write(made)
        except MEDIA_ERRORS as error:
            raise NoRendition(f"clip {clip.pk} as {kind}: {error}") from None
        file = {"name": name, "sha256": sha256_of(made), "size": made.stat().st_size}
        store().put({made: clip_name(name)})
    return file


def _write(clip: Clip, kind: str, made: Path) -> None:
    from benchmarks.encoding import audio
    from benchmarks.encoding.encode import copy_streams, pad_clip

    if kind == RenditionKind.MUTED:
        original = _original(clip)
        copy_streams(path_of(original), made, sound=False)
        pad_clip(made, original.size)
    elif kind == RenditionKind.SILENT:
        audio.write_silent(path_of(_original(clip)), made)
    elif kind in RATES:
        audio.write_wav(decodable(clip), made, RATES[RenditionKind(kind)])
    else:
        _write_picture(clip, kind, made)


def _write_picture(clip: Clip, kind: str, made: Path) -> None:
    from benchmarks.encoding.frames import frames
    from benchmarks.encoding.stills import square_crop, square_crop_with_box, with_box, write_png
    from scenes.media_files import MAX_SIDE

    draw = {
        RenditionKind.FRAME_WITH_BOX: with_box,
        RenditionKind.SQUARE_CROP: square_crop,
        RenditionKind.CROP_WITH_BOX: square_crop_with_box,
    }
    if kind != RenditionKind.MIDDLE_FRAME and kind not in draw:
        raise NoRendition(f"clip {clip.pk}: the form {kind} comes with the import and is never made afterwards")
    middle = next(frames(decodable(clip), [clip.frames // 2], longest=MAX_SIDE))
    picture, box = middle.picture, box_of(clip)
    if kind in draw:
        if box is None:
            raise NoRendition(f"clip {clip.pk} as {kind}: no box marks anything on it")
        picture = draw[RenditionKind(kind)](picture, box)
    write_png(picture, made)


def _original(clip: Clip) -> Rendition:
    original = clip.rendition(RenditionKind.ORIGINAL)
    if original is None:
        raise NoRendition(f"clip {clip.pk} has no stored file: {clip.problem or clip.withdrawal_note or 'gone'}")
    return original
