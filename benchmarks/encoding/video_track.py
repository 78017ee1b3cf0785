"""The pictures of a file being written: H.264 in one setting, upright, with square pixels and BT.709 colours."""

from fractions import Fraction
from math import ceil
from typing import Any

import av
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import ColorRange, Colorspace, Interpolation, VideoReformatter

from benchmarks.encoding.probe import BT709, SD, UNSAID, VideoFacts
from scenes.media_files import MAX_SIDE

# One setting for all files, so that a file reveals nothing but its pictures. A keyframe every half second (`g` below)
# makes seeking cheap and scrubbing smooth. Without B-frames pictures are stored in the order in which they are shown,
# so that each lasts as long as its packet says.
X264 = {"preset": "veryfast", "crf": "20", "threads": "1", "bf": "0"}
EXACT = (  # other ways of converting colours make every picture darker by a grey level, and edges of colours soft
    Interpolation.BICUBIC | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT | Interpolation.FULL_CHR_H_INP
)
TICKS = 720_000  # a second; a picture at any usual rate, 24,000/1,001 as well, lasts a whole number of them
# Seconds; a picture that is shown longer is written again, since a player takes a long gap for a seek. Giraffe-Bench's
# clips, a picture a second as published, stay as they are.
HELD = 1.0
SLOWEST = Fraction(1, 1001)  # pictures a second
SOONEST = TICKS // 2_000  # ticks between two pictures that claim the same time
MOMENT = 0.001  # seconds
JITTER = 0.002  # seconds; some containers round times to milliseconds


class VideoTrack:
    """A video stream of a file being written; takes decoded pictures in order, each with its time."""

    def __init__(self, written: "av.container.OutputContainer", facts: VideoFacts) -> None:
        self.written, self.turn = written, facts.turn
        rate = max(Fraction(facts.fps).limit_denominator(1001), SLOWEST)
        self.frame = TICKS / rate  # usual ticks of a picture
        self.width, self.height = squared(facts.width, facts.height, facts.pixel)
        size = (self.height, self.width) if self.turn.swaps else (self.width, self.height)
        options = {**X264, "g": str(max(1, round(facts.fps / 2)))}
        self.stream: Any = written.add_stream("libx264", rate=rate, options=options)
        self.stream.width, self.stream.height = size
        self.stream.pix_fmt = "yuv420p"
        self.stream.time_base = self.stream.codec_context.time_base = Fraction(1, TICKS)
        for name in ("color_primaries", "color_trc", "colorspace"):
            setattr(self.stream.codec_context, name, BT709)
        self.stream.codec_context.color_range = ColorRange.MPEG
        self.converter = VideoReformatter()
        self.picture: av.VideoFrame | None = None  # the last one, not yet written
        self.at = 0  # ticks at which it is shown
        self.count = 0  # pictures written
        self.lengths: dict[int, int] = {}  # ticks of each picture that is in the encoder, by its time

    def show(self, frame: "av.VideoFrame", seconds: float | None) -> None:
        """Take a picture that is shown from `seconds` on, or after the one before it if that is not known."""
        at = self._tick(seconds)
        if self.picture is not None:
            at = max(at, self.at + SOONEST)
            self._write(until=at)
        self.picture, self.at = self._formed(frame), at

    def finish(self, seconds: float) -> None:
        """Write the last picture, which is shown until `seconds`."""
        if self.picture is not None:
            ends = round(seconds * TICKS)
            self._write(until=ends if ends > self.at else self.at + round(self.frame))
        self._encode(None)

    def _tick(self, seconds: float | None) -> int:
        if seconds is None:
            return self.at + round(self.frame)
        even = round(round(seconds * TICKS / self.frame) * self.frame)
        ticks = round(seconds * TICKS)
        return even if abs(even - ticks) <= JITTER * TICKS else ticks

    def _write(self, until: int) -> None:
        """Encode the last picture, as often as its time needs."""
        assert self.picture is not None
        length = until - self.at
        times = max(1, ceil((length / TICKS - MOMENT) / HELD))
        for number in range(times):
            begins, ends = (self.at + length * place // times for place in (number, number + 1))
            self.picture.pts, self.lengths[begins] = begins, ends - begins
            self._encode(self.picture)
        self.count += times

    def _encode(self, picture: "av.VideoFrame | None") -> None:
        for packet in self.stream.encode(picture):
            packet.duration = self.lengths.pop(packet.pts)
            self.written.mux(packet)

    def _formed(self, frame: "av.VideoFrame") -> "av.VideoFrame":
        matrix = Colorspace.ITU709 if frame.colorspace == UNSAID and frame.height >= SD else None
        plainly: dict[str, Any] = {"src_colorspace": matrix, "interpolation": EXACT, "threads": 1}
        how = plainly | {"dst_colorspace": Colorspace.ITU709, "dst_color_range": ColorRange.MPEG}
        if self.turn.words:
            plain = self.converter.reformat(frame, self.width, self.height, "rgb24", **plainly)
            turned = self.turn.applied(np.asarray(plain.to_ndarray(), dtype=np.uint8))
            frame = av.VideoFrame.from_ndarray(turned, format="rgb24")
            how["src_colorspace"] = None
        size = self.stream.width, self.stream.height
        formed = self.converter.reformat(frame, *size, "yuv420p", **how)
        formed.time_base = Fraction(1, TICKS)
        formed.pict_type = PictureType.NONE  # otherwise the source's keyframes would be forced
        return formed


def squared(width: int, height: int, pixel: Fraction) -> tuple[int, int]:
    """The size in square pixels as players show it: even, no side shorter than before unless the largest is met."""
    wide, high = (width * pixel, Fraction(height)) if pixel >= 1 else (Fraction(width), height / pixel)
    scale = min(Fraction(1), Fraction(MAX_SIDE) / max(wide, high))
    return max(2, int(wide * scale) // 2 * 2), max(2, int(high * scale) // 2 * 2)
