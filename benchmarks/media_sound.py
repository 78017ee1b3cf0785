"""The sound of a clip in files of its own: one channel at a rate that a model wants, silence, or another clip's."""

import wave
from pathlib import Path
from typing import Any

import av

from benchmarks.media_encoding import MP4
from benchmarks.media_probing import UnreadableMedia
from benchmarks.media_voice import USUAL_RATE, Voice


def write_wav(source: Path, target: Path, rate: int) -> None:
    """Mono 16-bit PCM at `rate` Hz, as PACS' own preparation makes it; UnreadableMedia where there is no sound."""
    plain = av.AudioResampler(format="s16", layout="mono", rate=rate)
    with av.open(str(source)) as read, wave.open(str(target), "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(rate)
        for frame in read.decode(_sound_of(read)):
            for one in plain.resample(frame):
                written.writeframes(one.to_ndarray().tobytes())
        for one in plain.resample(None):
            written.writeframes(one.to_ndarray().tobytes())


def write_silent(source: Path, target: Path) -> None:
    """The pictures as they are with a sound that is silence from end to end: as long as the pictures last."""
    with av.open(str(source)) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        pictures = read.streams.video[0]
        length = _seconds_of(pictures)
        shown, sound = written.add_stream_from_template(pictures), Voice(written, USUAL_RATE, "mono")
        _copy(read, pictures, written, shown)
        sound.say_nothing(length)
        sound.finish()


def write_with_sound_of(pictures_from: Path, sound_from: Path, target: Path) -> None:
    """The pictures of one clip with the sound of another, cut or filled with silence to the pictures' length."""
    with (
        av.open(str(pictures_from)) as seen,
        av.open(str(sound_from)) as heard,
        av.open(str(target), "w", format="mp4", options=MP4) as written,
    ):
        pictures, stream = seen.streams.video[0], _sound_of(heard)
        length = _seconds_of(pictures)
        shown, sound = written.add_stream_from_template(pictures), Voice.like(written, stream)
        _copy(seen, pictures, written, shown)
        for frame in heard.decode(stream):
            sound.say(frame, until=length)
        sound.say_nothing(length)
        sound.finish()


def _sound_of(container: "av.container.InputContainer") -> "av.AudioStream":
    if not container.streams.audio:
        raise UnreadableMedia("the clip has no sound")
    return container.streams.audio[0]


def _seconds_of(stream: "av.VideoStream") -> float:
    return float((stream.duration or 0) * (stream.time_base or 0))


def _copy(read: Any, stream: Any, written: Any, shown: Any) -> None:
    for packet in read.demux(stream):
        if packet.dts is not None:
            packet.stream = shown
            written.mux(packet)
