"""The sound of a stored clip, and its versions: a mono WAV, a silent track, or another clip's sound."""

import wave
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from benchmarks.encoding.encode import MP4, timed_packets
from benchmarks.encoding.probe import UnreadableMedia, reason_of
from scenes.media_files import opened


def sound(path: Path, longest: float) -> tuple[NDArray[np.float32], int]:
    """The first sound stream, mixed down to mono [samples], and its rate in Hz.

    Raises UnreadableMedia if there is none, or more than `longest` seconds of it.
    """
    plain = av.AudioResampler(format="fltp")
    pieces, taken = [], 0
    try:
        with opened(path) as container:
            stream = _sound_of(container)
            for frame in (one for decoded in container.decode(stream) for one in plain.resample(decoded)):
                pieces.append(frame.to_ndarray().mean(0))  # the library's own downmix would be louder
                taken += frame.samples
                if taken > longest * frame.sample_rate:
                    raise UnreadableMedia(f"the clip has more than {longest:g} s of sound")
            rate = stream.rate
    except av.FFmpegError as error:
        raise UnreadableMedia(f"the sound can't be decoded: {reason_of(error)}") from error
    if not taken:
        raise UnreadableMedia("the clip has no sound")
    return np.concatenate(pieces), rate


def has_sound(path: Path) -> bool:
    """Whether the file has a sound stream, which is not decoded; False if it can't be opened."""
    try:
        with opened(path) as container:
            return bool(container.streams.audio)
    except (OSError, ValueError, av.FFmpegError):
        return False


def write_wav(source: Path, target: Path, rate: int) -> None:
    """Write mono 16-bit PCM at `rate` Hz, as in PACS' preparation; raises UnreadableMedia if there is no sound."""
    plain = av.AudioResampler(format="s16", layout="mono", rate=rate)
    with opened(source) as read, wave.open(str(target), "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(rate)
        for frame in read.decode(_sound_of(read)):
            for one in plain.resample(frame):
                written.writeframes(one.to_ndarray().tobytes())
        for one in plain.resample(None):
            written.writeframes(one.to_ndarray().tobytes())


def write_silent(source: Path, target: Path) -> None:
    """Copy the video stream and add a silent audio track of the same length."""
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        pictures = read.streams.video[0]
        length = _seconds_of(pictures)
        video, sound = written.add_stream_from_template(pictures), Voice(written, USUAL_RATE, "mono")
        _copy(read, pictures, written, video)
        sound.say_nothing(length)
        sound.finish()


def write_with_sound_of(pictures_from: Path, sound_from: Path, target: Path) -> None:
    """Copy one clip's video stream and add another clip's sound, cut or padded with silence to the video's length."""
    with (
        opened(pictures_from) as seen,
        opened(sound_from) as source,
        av.open(str(target), "w", format="mp4", options=MP4) as written,
    ):
        pictures, stream = seen.streams.video[0], _sound_of(source)
        length = _seconds_of(pictures)
        video, sound = written.add_stream_from_template(pictures), Voice.like(written, stream)
        _copy(seen, pictures, written, video)
        for frame in source.decode(stream):
            sound.say(frame, until=length)
        sound.say_nothing(length)
        sound.finish()


def _sound_of(container: "av.container.InputContainer") -> "av.AudioStream":
    if not container.streams.audio:
        raise UnreadableMedia("the clip has no sound")
    return container.streams.audio[0]


def _seconds_of(stream: "av.VideoStream") -> float:
    return float((stream.duration or 0) * (stream.time_base or 0))


def _copy(read: Any, stream: Any, written: Any, video: Any) -> None:
    for packet in timed_packets(read, [stream]):
        packet.stream = video
        written.mux(packet)


AAC_RATES = (48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000)  # Hz
USUAL_RATE = 44_100
LAYOUTS = {1: "mono", 2: "stereo"}
BITS_A_SECOND = 128_000
SAMPLES_A_FRAME = 1024
JITTER = 0.005  # seconds; smaller offsets are rounding errors, and filling or cutting them would click
Samples = NDArray[np.float32]  # channels, samples


class Voice:
    """An AAC stream of a file being written; it takes audio frames of any format, in order, and counts samples."""

    def __init__(self, written: "av.container.OutputContainer", rate: int, layout: str) -> None:
        self.written, self.rate, self.layout = written, rate, layout
        self.stream: Any = written.add_stream("aac", rate=rate, layout=layout)
        self.stream.bit_rate = BITS_A_SECOND
        self.plain = av.AudioResampler(format="fltp", layout=layout, rate=rate)
        self.said = 0  # samples

    @classmethod
    def like(cls, written: "av.container.OutputContainer", stream: "av.AudioStream") -> "Voice":
        """A track with the rate and layout of this stream, or the nearest ones that every player supports."""
        rate = stream.rate if stream.rate in AAC_RATES else USUAL_RATE
        return cls(written, rate, LAYOUTS.get(stream.channels, "stereo"))

    def say(self, frame: "av.AudioFrame", *, until: float | None = None, since: float = 0.0) -> None:
        """Write a frame at its own time minus `since`; gaps become silence, and samples after `until` are dropped."""
        for one in self.plain.resample(frame):
            if until is not None and self.said >= round(until * self.rate):
                return
            samples = np.asarray(one.to_ndarray(), dtype=np.float32)
            if one.time is not None:
                samples = self._placed(samples, round((one.time - since) * self.rate))
            if until is not None:
                samples = samples[:, : max(0, round(until * self.rate) - self.said)]
            self._write(samples)

    def say_nothing(self, until: float) -> None:
        """Write silence up to this time in seconds."""
        while (missing := round(until * self.rate) - self.said) > 0:
            self._write(self._silence(min(missing, SAMPLES_A_FRAME)))

    def finish(self) -> None:
        self.written.mux(self.stream.encode(None))

    def _placed(self, samples: Samples, at: int) -> Samples:
        """Fill a gap before the samples with silence; return them without the part already written."""
        late = at - self.said
        if abs(late) <= JITTER * self.rate:
            return samples
        if late > 0:
            self.say_nothing(at / self.rate)
        return samples[:, max(0, -late) :]

    def _silence(self, count: int) -> Samples:
        return np.zeros((1 if self.layout == "mono" else 2, count), dtype=np.float32)

    def _write(self, samples: Samples) -> None:
        if not samples.shape[1]:
            return
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout=self.layout)
        frame.sample_rate, frame.pts, frame.time_base = self.rate, self.said, Fraction(1, self.rate)
        self.said += samples.shape[1]
        self.written.mux(self.stream.encode(frame))
