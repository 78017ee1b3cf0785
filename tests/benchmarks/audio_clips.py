"""Makes small clips with sound: grey frames of rising brightness, and a tone or clicks."""

from fractions import Fraction

import av
import numpy as np

RATE = 16_000
FPS = 10


def greys(frames):
    """The grey of each frame; the greys can be distinguished after any encoding."""
    return [40 + 10 * number for number in range(frames)]


def tone(hertz, seconds):
    return np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE).astype(np.float32) / 2


def clicks(at, seconds):
    """Silence with a burst of 3 ms at each of these times."""
    samples = np.zeros(int(seconds * RATE), np.float32)
    for start in at:
        samples[int(start * RATE) : int((start + 0.003) * RATE)] = 0.8
    return samples


def write_heard(path, samples, *, shown=None, size=(64, 36), codec="libx264", voice="aac", fps=FPS, rate=None):
    """Write a clip of grey frames; `samples` at this rate (RATE) are its sound, None for no sound."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rate = rate or RATE
    with av.open(str(path), "w", format="mp4" if path.suffix == ".mp4" else "matroska") as made:
        pictures = made.add_stream(codec, rate=fps)
        (pictures.width, pictures.height), pictures.pix_fmt = size, "yuv420p"
        sound = made.add_stream(voice, rate=rate, layout="mono") if samples is not None else None
        for grey in shown if shown is not None else greys(10):
            pixels = np.full((size[1], size[0], 3), grey, np.uint8)
            made.mux(pictures.encode(av.VideoFrame.from_ndarray(pixels, "rgb24")))
        made.mux(pictures.encode(None))
        if sound:
            frame = av.AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
            plain = av.AudioResampler(format=sound.codec_context.format, layout="mono", rate=rate)
            for one in plain.resample(frame):
                made.mux(sound.encode(one))
            made.mux(sound.encode(None))
    return path


def heard_in(path):
    """(samples, rate) of the first sound stream at its times in the clip; None without one."""
    with av.open(str(path)) as read:
        if not read.streams.audio:
            return None
        rate, pieces = read.streams.audio[0].rate, []
        for frame in read.decode(audio=0):
            samples = frame.to_ndarray()
            samples = samples / 32768 if samples.dtype == np.int16 else samples
            pieces.append((round(frame.time * rate), samples.reshape(-1, frame.samples).mean(0)))
    whole = np.zeros(max(start + len(one) for start, one in pieces), np.float32)
    for start, one in pieces:
        whole[max(0, start) : start + len(one)] = one[max(0, -start) :]
    return whole, rate


def pitch_of(path):
    """The strongest frequency in Hz, 0.0 for silence, None for no sound at all."""
    found = heard_in(path)
    if found is None:
        return None
    power = np.abs(np.fft.rfft(found[0]))
    return float(np.fft.rfftfreq(len(found[0]), 1 / found[1])[power.argmax()]) if power.max() > 1 else 0.0


def seen_in(path):
    """(seconds, mean grey) of each frame."""
    with av.open(str(path)) as read:
        return [(frame.time, float(frame.to_ndarray(format="gray").mean())) for frame in read.decode(video=0)]
