"""Parts of a long video: keyframes, small frames for shot detection, and clips cut out of it."""

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from benchmarks.encoding.encode import CLOSE, MP4, check_pictures, encode, seek, start_of, timed_packets
from benchmarks.encoding.probe import MEDIA_ERRORS, VideoFacts
from scenes.media_files import opened

PIECE = 256  # frames decoded at a time


def keyframes_of(path: Path) -> list[float]:
    """Times of the keyframes, in seconds from the first frame; a cut there needs no re-encoding."""
    with opened(path) as container:
        stream = container.streams.video[0]
        start = start_of(stream)
        times = (packet.pts for packet in container.demux(stream) if packet.is_keyframe and packet.pts is not None)
        return sorted(float(time * (stream.time_base or 0)) - start for time in times)


def small_frames(path: Path, width: int, height: int) -> Iterator[NDArray[np.uint8]]:
    """Yield all frames in RGB at this size, in chunks. Shape: frames, height, width, 3."""
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        held = []
        for frame in container.decode(stream):
            held.append(frame.reformat(width, height, "rgb24").to_ndarray())
            if len(held) == PIECE:
                yield np.stack(held)
                held = []
        if held:
            yield np.stack(held)


def cut_out(source: Path, target: Path, facts: VideoFacts, start: float, end: float) -> None:
    """Write the part from `start`, a keyframe, to `end` (seconds from the first frame).

    The streams are copied if the copy shows every picture; otherwise the part is encoded again.
    """
    if not _is_cut_by_copying(source, target, start, end):
        count = encode(source, target, facts, start, end)
        check_pictures(target, count)


def _is_cut_by_copying(source: Path, target: Path, start: float, end: float) -> bool:
    try:
        count = _copy_part(source, target, start, end)
        check_pictures(target, count)
    except MEDIA_ERRORS:
        return False
    return count > 0


def _copy_part(source: Path, target: Path, start: float, end: float) -> int:
    """Copy the part's packets; return the number of pictures."""
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        pictures = read.streams.video[0]
        streams = [pictures, *read.streams.audio[:1]]
        origin = start_of(pictures)
        outputs = {stream.index: written.add_stream_from_template(stream) for stream in streams}
        seek(read, start + origin)
        count, ended = 0, set[int]()
        for packet in timed_packets(read, streams):
            if len(ended) == len(streams):
                break
            if packet.stream.index in ended:
                continue
            base = packet.time_base
            at = float(packet.pts * base) - origin
            if at >= end - CLOSE:
                ended.add(packet.stream.index)  # later packets may contain earlier pictures that need this one
            if not start - CLOSE <= at < end - CLOSE:
                continue
            shift = round((start + origin) / base)
            packet.pts, packet.dts = packet.pts - shift, packet.dts - shift
            count += packet.stream is pictures
            packet.stream = outputs[packet.stream.index]
            written.mux(packet)
    return count
