"""Makes clips as cameras, recorders and editors write them: turned, late, uneven, cut by hand, in many containers.

Each shows the same numbered pictures, and says which of them a person would see, when, and how large.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import numpy as np

SIZE = 96, 64  # width and height as a person sees it
NEAR = 9.0  # grey levels between a picture and its encoding, on average
RATE = 10  # pictures a second
EVEN = tuple(number / RATE for number in range(12))
MATRICES = {  # of display, as in ISO 14496-12: where the stored x and y axes point to
    "turned by 90°": (0, 1, -1, 0),
    "turned by 180°": (-1, 0, 0, -1),
    "turned by 270°": (0, -1, 1, 0),
    "mirrored": (-1, 0, 0, 1),
    "mirrored and turned by 180°": (1, 0, 0, -1),
    "mirrored and turned by 90°": (0, -1, -1, 0),
    "mirrored and turned by 270°": (0, 1, 1, 0),
}
TICKING = {"avi", "mpeg"}  # containers that count pictures
H264 = {"preset": "ultrafast", "threads": "1"}
B_FRAMES = {"preset": "veryfast", "threads": "1", "bf": "3", "g": "6", "sc_threshold": "0"}
OPTIONS = {"libx264": H264, "libx265": {"preset": "ultrafast", "x265-params": "log-level=none:pools=none"}}


@dataclass(frozen=True)
class Odd:
    """How a clip is written, and what is seen of it."""

    kind: str = "mp4"
    codec: str = "libx264"
    turn: str = ""
    pixel: Fraction = Fraction(1)
    times: tuple[float, ...] = EVEN  # seconds at which each picture is shown, from the first
    lasts: float = 1 / RATE  # seconds of the last picture
    rate: int = RATE
    begins: float = 0.0  # seconds of the file at which the first picture is shown
    sound: float = 0.0  # seconds
    voice: str = "aac"
    options: dict[str, str] = field(default_factory=dict)
    container: dict[str, str] = field(default_factory=dict)
    form: str = "yuv420p"
    size: tuple[int, int] = SIZE
    skipped: int = 0  # packets left out at the beginning
    hidden: int = 0  # pictures at the beginning that an edit list hides
    says: tuple[str, ...] = ()  # what the import tells about it

    @property
    def seen(self) -> list[tuple[float, int]]:
        """The pictures that a person sees, as (seconds, number)."""
        kept = [(time, number) for number, time in enumerate(self.times)][self.skipped + self.hidden :]
        return [(time - kept[0][0], number) for time, number in kept]

    @property
    def seconds(self) -> float:
        return self.seen[-1][0] + self.lasts


def drawn(number: int, size: tuple[int, int] = SIZE) -> np.ndarray:
    """Picture [height, width, 3] with four different corners and a bar that moves with the number."""
    width, height = size
    picture = np.full((height, width, 3), 90, np.uint8)
    picture[: height // 2, : width // 2] = (200, 40, 40)
    picture[: height // 2, width // 2 :] = (40, 160, 40)
    picture[height // 2 :, : width // 2] = (40, 60, 200)
    left = width * (number % 16) // 16
    picture[height // 3 : 2 * height // 3, left : left + width // 8] = 235
    return picture


def distance(picture: np.ndarray, number: int, odd: Odd) -> float:
    """Mean difference in grey levels from the numbered picture; infinite at another size."""
    if max(abs(picture.shape[1] - odd.size[0]), abs(picture.shape[0] - odd.size[1])) > 1:
        return math.inf
    return float(np.abs(picture.astype(float) - drawn(number, (picture.shape[1], picture.shape[0]))).mean())


def write(path: Path, odd: Odd) -> Path:
    with av.open(str(path), "w", format=odd.kind, options=odd.container) as made:
        stream = _stream_of(made, odd)
        voice = made.add_stream(odd.voice, rate=16_000, layout="mono") if odd.sound else None
        frames = _frames(odd, stream.time_base)
        lengths = {frame.pts: frame.duration for frame in frames}
        packets = [packet for frame in [*frames, None] for packet in stream.encode(frame)]
        for packet in packets[odd.skipped :]:
            packet.duration = lengths[packet.pts]
            made.mux(packet)
        if voice:
            _say(made, voice, odd)
    if odd.hidden:
        _hide(path, odd.hidden / RATE)
    return path


def _stream_of(made: Any, odd: Odd) -> Any:
    options = {**OPTIONS.get(odd.codec, {}), **odd.options}
    stream = made.add_stream(odd.codec, rate=odd.rate, options=options)
    picture = _stored(0, odd)
    stream.height, stream.width = picture.shape[:2]
    stream.pix_fmt = odd.form
    stream.time_base = stream.codec_context.time_base = Fraction(1, odd.rate if odd.kind in TICKING else 1000)
    if odd.pixel != 1:
        stream.codec_context.sample_aspect_ratio = odd.pixel
    if odd.turn:
        x, y, z, w = (65_536 * axis for axis in MATRICES[odd.turn])
        stream.set_display_matrix((x, y, 0, z, w, 0, 0, 0, 1 << 30))
    return stream


def _stored(number: int, odd: Odd) -> np.ndarray:
    """The picture as it is stored: turned back, and squeezed by the shape of its pixels."""
    quarters = next((place for place in (1, 2, 3) if f"{90 * place}°" in odd.turn), 0)
    stored = np.rot90(drawn(number, odd.size), quarters)
    stored = stored[:, ::-1] if odd.turn.startswith("mirrored") else stored
    if odd.pixel == 1:
        return np.ascontiguousarray(stored)
    height, width = stored.shape[:2]
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(stored), format="rgb24")
    wide, high = (width / odd.pixel, height) if odd.pixel > 1 else (width, height * odd.pixel)
    return frame.reformat(round(wide), round(high), "rgb24").to_ndarray()


def _frames(odd: Odd, base: Fraction) -> Sequence["av.VideoFrame"]:
    frames = []
    times = [*odd.times, odd.times[-1] + odd.lasts]
    for number, (time, after) in enumerate(pairwise(times)):
        frame = av.VideoFrame.from_ndarray(_stored(number, odd), format="rgb24").reformat(format=odd.form)
        frame.pts, frame.time_base = round((time + odd.begins) / base), base
        frame.duration = round((after - time) / base)
        frames.append(frame)
    return frames


def _say(made: Any, voice: Any, odd: Odd) -> None:
    """A tone of 400 Hz that begins with the pictures."""
    samples = np.sin(2 * np.pi * 400 * np.arange(round(odd.sound * 16_000)) / 16_000).astype(np.float32) / 4
    frame = av.AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = 16_000, round(odd.begins * 16_000), Fraction(1, 16_000)
    plain = av.AudioResampler(format=voice.codec_context.format, layout="mono", rate=16_000)
    for one in [*plain.resample(frame), *plain.resample(None)]:
        made.mux(voice.encode(one))
    made.mux(voice.encode(None))


def _hide(path: Path, seconds: float) -> None:
    """Let the edit list begin later, as `ffmpeg -ss … -c copy` writes it."""
    content = path.read_bytes()
    scale = int.from_bytes(content[(media := content.index(b"mdhd") + 16) : media + 4], "big")
    place = content.index(b"elst") + 12  # version, flags and the number of entries
    duration, begins = (int.from_bytes(content[place + at : place + at + 4], "big") for at in (0, 4))
    later = (duration - round(seconds * 1000)).to_bytes(4, "big") + (begins + round(seconds * scale)).to_bytes(4, "big")
    path.write_bytes(content[:place] + later + content[place + 8 :])


UNEVEN = (0.0, 0.1, 0.2, 0.25, 0.3, 0.6, 0.7, 1.1, 1.2, 1.25)
SLIDES = (0.0, 2.0, 4.0)
ZOO = {
    **{turn: Odd(turn=turn, says=(turn,)) for turn in MATRICES},
    "plain": Odd(),
    "plain with sound": Odd(sound=1.2),
    "B-frames": Odd(options=B_FRAMES),
    "a turned QuickTime film": Odd("mov", turn="turned by 90°", sound=1.2, says=("turned by 90°",)),
    "a turned HEVC film": Odd("mp4", "libx265", turn="turned by 90°", says=("turned by 90°",)),
    "wide pixels": Odd(pixel=Fraction(4, 3), says=("pixels of 4:3 made square",)),
    "high pixels": Odd(pixel=Fraction(1, 2), says=("pixels of 1:2 made square",)),
    "wide pixels in Matroska": Odd("matroska", pixel=Fraction(4, 3), says=("pixels of 4:3 made square",)),
    "wide pixels, turned": Odd(pixel=Fraction(4, 3), turn="turned by 270°"),
    "an edit list": Odd(options=B_FRAMES, hidden=3, says=("3 hidden pictures were left out",)),
    "B-frames in Matroska": Odd("matroska", options=B_FRAMES),
    "Matroska with sound": Odd("matroska", options=B_FRAMES, sound=1.2, voice="libopus"),
    "a transport stream": Odd("mpegts", begins=1.48, says=("first 1.48 s were empty",)),
    "a transport stream with sound": Odd("mpegts", options=B_FRAMES, sound=1.2),
    "an MP4 that begins late": Odd(begins=1.0, says=("first 1.00 s were empty",)),
    "FLV": Odd("flv", options=B_FRAMES),
    "the rate varies": Odd("matroska", times=UNEVEN),
    "the rate varies in MP4": Odd(times=UNEVEN, options=B_FRAMES),
    "slides": Odd(times=SLIDES, lasts=2.0, says=("held picture of 2 s",)),
    "slides in Matroska": Odd("matroska", times=SLIDES, lasts=2.0),
    "one held picture": Odd(times=(0.0, 0.1, 1.6, 1.7), says=("held picture of 1.5 s",)),
    "sound goes on": Odd(sound=3.0, says=("last 1.80 s of the sound were left out",)),
    "sound ends early": Odd(sound=0.5),
    "HEVC": Odd("mp4", "libx265"),
    "MPEG-4": Odd("mp4", "mpeg4"),
    "MPEG-1": Odd("mpeg", "mpeg1video", rate=25, times=tuple(number / 25 for number in range(12)), lasts=1 / 25),
    "Motion JPEG in AVI": Odd("avi", "mjpeg", form="yuvj420p"),
    "VP9 in WebM": Odd("webm", "libvpx-vp9", options={"deadline": "realtime", "cpu-used": "8"}),
    "10 bit": Odd(form="yuv420p10le"),
    "full range": Odd(form="yuvj420p"),
    "4:4:4": Odd(form="yuv444p"),
    "odd size": Odd(form="yuv444p", size=(97, 65)),
    "one picture": Odd(times=(0.0,)),
}
