"""The one form of a stored clip, whatever was sent: everybody who opens one, person or model, sees the same pictures.

A clip is H.264 in an MP4: upright, with square pixels, its first picture at 0 s, each picture shown for at most a
second and its sound no longer than its pictures. Colours are BT.709 where they are written here. In a copied stream
they may also be those that every reader takes alike, BT.601 by tag or by a height below 720 lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any

import av

from benchmarks.encoding.audio import Voice
from benchmarks.encoding.encode import CLOSE, MP4, copy_streams, seek, start_of
from benchmarks.encoding.probe import MEDIA_ERRORS, OF_CLIPS, MediaLimits, UnreadableMedia, VideoFacts, probe
from benchmarks.encoding.video_track import HELD, MOMENT, VideoTrack
from scenes.media_files import opened

OVERHANG = 0.25  # seconds of sound after the last picture; encoded sound comes in pieces of up to an eighth
WORTH_SAYING = 0.05  # seconds


@dataclass(frozen=True)
class ClipFacts:
    """A clip in its one form, as counted by decoding it, and what was changed to bring it there, in words."""

    width: int
    height: int
    fps: float
    frames: int
    seconds: float
    has_sound: bool = False
    changes: tuple[str, ...] = ()


def conform(source: Path, target: Path, limits: MediaLimits = OF_CLIPS) -> ClipFacts:
    """Write the clip in its one form; raises MEDIA_ERRORS if it can't be read.

    The streams are copied if they have this form already, otherwise they are decoded and encoded again.
    """
    found = probe(source, limits)
    if is_conform(found) and (copied := _copied(source, target, found)):
        return copied
    return _encoded(source, target, found, changes_of(found))


def cut(source: Path, target: Path, found: VideoFacts, start: float, end: float) -> ClipFacts:
    """Write the part from `start` to `end` in the one form, in seconds from the first picture of a probed video."""
    return _encoded(source, target, found, (), start, end)


def is_conform(found: VideoFacts) -> bool:
    """Whether a probed file has the one form, so that its streams can be copied."""
    return (
        found.is_played
        and found.is_in_order
        and not found.turn.words
        and found.pixel == 1
        and abs(found.begins) < MOMENT
        and found.longest_picture <= HELD + MOMENT
        and found.sound_ends <= found.ends + OVERHANG
    )


def changes_of(found: VideoFacts) -> tuple[str, ...]:
    """What people and models will see otherwise than the file says, in words; a new encoding alone is not said."""
    late, held, left = found.begins, found.longest_picture, found.sound_ends - found.ends
    pixel = f"pixels of {found.pixel.numerator}:{found.pixel.denominator} made square"
    possible = {
        found.turn.words: bool(found.turn.words),
        pixel: found.pixel != 1,
        f"first {late:.2f} s were empty": late > WORTH_SAYING,
        f"{found.hidden} hidden pictures were left out": found.hidden > 0,
        f"held picture of {held:.3g} s": held > HELD + MOMENT,
        f"last {left:.2f} s of the sound were left out": left > OVERHANG,
    }
    return tuple(words for words, is_true in possible.items() if is_true)


def _copied(source: Path, target: Path, found: VideoFacts) -> ClipFacts | None:
    """The copied clip, or None if the copy does not show every picture in its time."""
    try:
        copy_streams(source, target, sound=True)
        return _counted(target, found.frames, ())
    except MEDIA_ERRORS:
        return None


def _encoded(
    source: Path, target: Path, found: VideoFacts, changes: tuple[str, ...], begins: float = 0.0, ends: float = inf
) -> ClipFacts:
    """Decode the source once and encode it; picture and sound start at the first picture from `begins` on."""
    start = _first_picture(source, begins)
    length = ends - begins
    until = min(length, found.ends - start)
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        pictures, sounds = read.streams.video[0], read.streams.audio[:1]
        pictures.thread_type = "SLICE"
        track = VideoTrack(written, found)
        voice = Voice.like(written, sounds[0]) if sounds else None
        if begins:
            seek(read, start)
        for frame in _frames(read, [pictures, *sounds], start, length):
            if isinstance(frame, av.VideoFrame):
                track.show(frame, None if frame.time is None else frame.time - start)
            elif voice:
                voice.say(frame, since=start, until=until)
        if track.picture is None:
            raise UnreadableMedia("no picture of it can be decoded")
        track.finish(until)
        if voice:
            voice.finish()
    return _counted(target, track.count, changes)


def _counted(path: Path, expected: int, changes: tuple[str, ...]) -> ClipFacts:
    """Decode the whole clip; raises UnreadableMedia unless it shows all the pictures, one size, without a gap."""
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        pictures = [(frame.time, frame.width, frame.height) for frame in container.decode(stream)]
        rate, has_sound = float(stream.average_rate or 0), bool(container.streams.audio)
    if len(pictures) != expected:
        raise UnreadableMedia(
            f"of {expected} pictures that were read, {len(pictures)} are shown by the file made of them"
        )
    times = [-1.0 if time is None else time for time, _width, _height in pictures]
    steps = [after - before for before, after in pairwise(times)]
    if abs(times[0]) > MOMENT or any(not 0 < step <= HELD + MOMENT for step in steps):
        raise UnreadableMedia("the file made of it shows its pictures at other times")
    sizes = {(width, height) for _time, width, height in pictures}
    if len(sizes) > 1:
        raise UnreadableMedia("the size of its pictures changes")
    if not rate:
        raise UnreadableMedia("the file made of it has no frame rate")
    width, height = sizes.pop()
    return ClipFacts(width, height, rate, expected, expected / rate, has_sound, changes)


def _first_picture(source: Path, begins: float) -> float:
    """The time of the first picture that can be decoded, or of the one at `begins`, in the file's own seconds."""
    with opened(source) as read:
        stream = read.streams.video[0]
        wanted = start_of(stream) + begins
        if begins:
            seek(read, wanted)
        times = (frame.time for frame in read.decode(stream) if frame.time is not None)
        return next((time for time in times if not begins or time >= wanted - CLOSE), wanted)


def _frames(
    read: Any, streams: Sequence[Any], start: float, length: float
) -> Iterator["av.VideoFrame | av.AudioFrame"]:
    """The pictures from `start` on and the sound, for `length` seconds of each."""
    ended = set[int]()
    for packet in read.demux(streams):
        for frame in packet.decode():
            at = 0.0 if frame.time is None else frame.time - start
            if at >= length - CLOSE:
                ended.add(packet.stream.index)
            elif at >= -CLOSE or isinstance(frame, av.AudioFrame):
                yield frame
        if len(ended) == len(streams):
            return
