"""Makes hostile files that a release could contain: false headers, bombs, hidden content, endless streams."""

import io
import struct
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, PngImagePlugin

from tests.benchmarks.grasp_release import write_clip

MARK = b"<script>alert('benchsite')</script>"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>"
Make = Callable[[Path], object]


def _grey(width: int, height: int) -> "av.VideoFrame":
    return av.VideoFrame.from_ndarray(np.full((height, width, 3), 90, np.uint8), format="rgb24")


def _film(path: Path, kind: str, codec: str, *, size=(32, 32), rate=10, frames=10, sound_rate=0) -> bytes:
    """A small file of `codec`; sound is a second of silence."""
    with av.open(str(path), "w", format=kind) as made:
        stream: Any = made.add_stream(codec, rate=Fraction(rate))
        stream.width, stream.height = size
        stream.pix_fmt = {"mjpeg": "yuvj420p", "rawvideo": "bgr24"}.get(codec, "yuv420p")
        stream.time_base = Fraction(1, rate)
        sound = made.add_stream("pcm_s16le", rate=sound_rate, layout="mono") if sound_rate else None
        for time in range(frames):
            frame = _grey(*size).reformat(format=stream.pix_fmt)
            frame.pts, frame.time_base = time, Fraction(1, rate)
            made.mux(stream.encode(frame))
        made.mux(stream.encode(None))
        if sound:
            heard = av.AudioFrame.from_ndarray(np.zeros((1, sound_rate), np.int16), format="s16", layout="mono")
            heard.sample_rate = sound_rate
            made.mux(sound.encode(heard))
            made.mux(sound.encode(None))
    return path.read_bytes()


def _with(path: Path, content: bytes, old: bytes, new: bytes) -> None:
    assert content.count(old) >= 1, old
    path.write_bytes(content.replace(old, new))


def claims_size(width: int, height: int) -> Make:
    """Raw pictures of 40 × 24 whose header says another size; a negative height flips them."""

    def make(path: Path) -> None:
        content = _film(path, "avi", "rawvideo", size=(40, 24))
        header = struct.pack("<Iii", 40, 40, -24)
        _with(path, content, header, struct.pack("<Iii", 40, width, height))

    return make


def is_too_wide(path: Path) -> None:
    _film(path, "mp4", "libx264", size=(4112, 16), frames=2)


def grows(path: Path) -> None:
    """H.264 whose later pictures are larger than allowed."""
    with av.open(str(path), "w", format="mpegts") as made:
        stream = made.add_stream("libx264", rate=10, options={"preset": "ultrafast", "threads": "1"})
        stream.width, stream.height, stream.pix_fmt = 32, 32, "yuv420p"
        count = 0
        for width, height, frames in ((32, 32, 10), (8208, 2064, 2), (32, 32, 10)):
            coder = av.CodecContext.create("libx264", "w")
            coder.width, coder.height, coder.pix_fmt = width, height, "yuv420p"
            coder.time_base, coder.framerate = Fraction(1, 10), Fraction(10)
            coder.options = {"preset": "ultrafast", "threads": "1", "bf": "0", "rc-lookahead": "0"}
            packets = [one for _ in range(frames) for one in coder.encode(_grey(width, height))] + coder.encode(None)
            for packet in packets:
                packet.stream, packet.time_base = stream, Fraction(1, 10)
                packet.pts = packet.dts = count
                count += 1
                made.mux(packet)


def claims_length(path: Path) -> None:
    """An MP4 whose tables claim 2³² - 1 frames of unlimited duration."""
    content = write_clip(path).read_bytes()
    place = content.index(b"stts") + 8
    path.write_bytes(content[:place] + struct.pack(">III", 1, 2**32 - 1, 2**31 - 1) + content[place + 12 :])


def _pictures(made: Any, codec: str) -> Iterator[Any]:
    """The packets of ten grey pictures, a second of this container."""
    stream = made.add_stream(codec, rate=10)
    stream.width, stream.height, stream.pix_fmt = 32, 32, "yuv420p"
    for _ in range(10):
        yield from stream.encode(_grey(32, 32).reformat(format="yuv420p"))
    yield from stream.encode(None)


def last_frame_is_late(path: Path) -> None:
    """Nine pictures in a second, and one after three years."""
    with av.open(str(path), "w", format="matroska") as made:
        for packet in _pictures(made, "mpeg4"):
            if packet.pts == 9:
                packet.pts = packet.dts = 10**9
            made.mux(packet)


def sound_goes_on(path: Path) -> None:
    """A second of pictures, and a sound that continues after two weeks."""
    with av.open(str(path), "w", format="matroska") as made:
        pictures = list(_pictures(made, "mpeg4"))
        sound = made.add_stream("pcm_s16le", rate=8000, layout="mono")
        made.mux(pictures)
        for at in (0, 8000 * 1_200_000):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 4000), np.int16), format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 8000, at, Fraction(1, 8000)
            made.mux(sound.encode(frame))
        made.mux(sound.encode(None))


def claims_rate(path: Path) -> None:
    _film(path, "mp4", "libx264", rate=1_000_000)


def claims_sound_rate(rate: int) -> Make:
    def make(path: Path) -> None:
        content = _film(path, "avi", "mpeg4", sound_rate=8000)
        _with(path, content, struct.pack("<HHI", 1, 1, 8000), struct.pack("<HHI", 1, 1, rate))

    return make


def has_streams(count: int) -> Make:
    """An MP4 with so many copies of its track."""

    def make(path: Path) -> None:
        content = write_clip(path).read_bytes()
        moov, trak = content.index(b"moov") - 4, content.index(b"trak") - 4
        size, one = (struct.unpack(">I", content[place : place + 4])[0] for place in (moov, trak))
        tracks = content[trak : trak + one] * (count - 1)
        head = content[:moov] + struct.pack(">I", size + len(tracks)) + content[moov + 4 : trak]
        path.write_bytes(head + tracks + content[trak:])

    return make


def says(content: bytes) -> Make:
    return lambda path: path.write_bytes(content)


def wav_with_rate(rate: int) -> Make:
    head = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, 0, 2, 16) + b"data" + struct.pack("<I", 2**32 - 1)
    return says(b"RIFF" + struct.pack("<I", 2**32 - 1) + head + b"\0" * 4000)


def hides_a_page(path: Path) -> None:
    """A valid clip with a web page in its title, in its track's name, in a box that players skip, and after its end."""
    with av.open(str(path), "w", format="mp4") as made:
        made.metadata["title"] = made.metadata["comment"] = MARK.decode()
        pictures = list(_pictures(made, "libx264"))
        made.streams.video[0].metadata["handler_name"] = MARK.decode()
        made.mux(pictures)
    with path.open("ab") as file:
        file.write(struct.pack(">I4s", len(MARK) + 8, b"free") + MARK + MARK)


@cache
def _png(width: int, height: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """A grey PNG with this header, and with `chunks` before its pixels."""
    header = (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    packer, row = zlib.compressobj(1), b"\0" * (min(width, 20_000) + 1)
    rows = b"".join(packer.compress(row) for _ in range(min(height, 20_000))) + packer.flush()
    parts = (header, *chunks, (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )


def claims_pixels(width: int, height: int) -> Make:
    return lambda path: path.write_bytes(_png(width, height))


def swells(chunk: bytes, head: bytes) -> Make:
    """A PNG with a text or a profile of two megabytes that expands to 400."""
    return lambda path: path.write_bytes(_png(64, 64, (chunk, head + _swollen())))


@cache
def _swollen() -> bytes:
    return zlib.compress(b"\0" * 400 * 2**20, 1)


def still(kind: str, **how: object) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 48), "navy").save(file, kind, **how)
    return file.getvalue()


def png_that_hides(path: Path) -> None:
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", MARK.decode())
    path.write_bytes(still("PNG", pnginfo=text, icc_profile=MARK * 9, exif=b"Exif\0\0" + MARK) + MARK)


def jpeg_that_hides(path: Path) -> None:
    """A JPEG of 64 × 48 pixels with 12 MB of EXIF and a web page as its comment."""
    plain = still("JPEG", comment=MARK, icc_profile=MARK * 9)
    more = b"".join(b"\xff\xe1" + struct.pack(">H", 65_000) + (b"Exif\0\0" + MARK * 2000)[:64_998] for _ in range(190))
    path.write_bytes(plain[:2] + more + plain[2:] + MARK)


def moving(kind: str) -> Make:
    """An animation of five hundred pictures."""

    def write(path: Path) -> None:
        first, *others = (Image.new("RGB", (64, 64), (number % 256, 0, 0)) for number in range(500))
        first.save(path, kind, save_all=True, append_images=others)

    return write
