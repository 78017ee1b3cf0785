"""Makes sounds, mono at 16 kHz: spoken digits, chords, taps, rubbing, a quiet room; and videos with them."""

import wave
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from extensions.annotation.analysis.sound_filter import RATE

DIGITS = Path(__file__).parents[4] / "humantrials" / "assets" / "digits"
SCALE = (0, 2, 4, 5, 7, 9, 11)


def speech(language="en", seconds=8.0):
    """Digits spoken one after the other by a synthetic voice."""
    spoken = np.concatenate([_read(DIGITS / f"{language}-{digit}.wav") for digit in range(10)])
    return np.resize(spoken, round(seconds * RATE)).astype(np.float32)


def _read(path):
    with wave.open(str(path)) as opened:
        values = np.frombuffer(opened.readframes(opened.getnframes()), np.int16) / 32768
        length = round(len(values) * RATE / opened.getframerate())
    return np.interp(np.linspace(0, len(values) - 1, length), np.arange(len(values)), values)


def chords(seconds=8, beat=1.0, fade=0.0, seed=0):
    """Three notes with four partials each, changing with every beat; `fade` is their decay rate per second."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(beat * RATE)) / RATE
    played = []
    for _ in range(round(seconds / beat)):
        notes = 220 * 2 ** (rng.choice(SCALE, 3, replace=False) / 12)
        chord = sum(np.sin(2 * np.pi * note * part * time) / part for note in notes for part in (1, 2, 3, 4))
        played.append(0.1 * chord * np.exp(-fade * time) * np.minimum(1, np.minimum(time, beat - time) / 0.01))
    return np.concatenate(played).astype(np.float32)


def taps(seconds=8, every=1.0, fade=8.0, seed=0):
    """Repeated blows: decaying partials over the noise of a quiet room."""
    time = np.arange(seconds * RATE) / RATE
    sound = room(seconds, 0.001, seed).astype(float)
    for start in np.arange(0, seconds, every):
        since = np.maximum(time - start, 0)
        partials = enumerate((1200, 2700, 4300), start=1)
        ring = sum(np.sin(2 * np.pi * hertz * since) * np.exp(-fade * part * since) for part, hertz in partials)
        sound += 0.2 * (time >= start) * ring
    return sound.astype(np.float32)


def drums(seconds=8, every=0.5, level=0.3, seed=0):
    """Bursts of noise that decay within a tenth of a second, like snares."""
    since = np.arange(seconds * RATE) / RATE % every
    return (room(seconds, level, seed) * np.exp(-30 * since)).astype(np.float32)


def room(seconds=8, level=0.001, seed=0):
    """Noise of this level: 0.001 is a quiet room, 0.05 is rubbing."""
    return (level * np.random.default_rng(seed).standard_normal(round(seconds * RATE))).astype(np.float32)


def write_video(path, shots, sound, fps=5, keyframes=5):
    """A video of shots, each (seconds, seed of its picture) with a bar that moves, and this sound or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as made:
        pictures = made.add_stream("libx264", rate=fps, options={"g": str(keyframes), "preset": "veryfast"})
        pictures.width, pictures.height, pictures.pix_fmt = 128, 72, "yuv420p"
        voice = made.add_stream("aac", rate=RATE, layout="mono") if sound is not None else None
        for seconds, seed in shots:
            still = np.random.default_rng(seed).integers(0, 255, (9, 16, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
            for number in range(round(seconds * fps)):
                frame, left = still.copy(), 4 * number % 110
                frame[30:45, left : left + 15] ^= 255
                made.mux(pictures.encode(av.VideoFrame.from_ndarray(frame, "rgb24")))
        made.mux(pictures.encode(None))
        if voice:
            _say(made, voice, sound)
    return path


def _say(made, voice, sound):
    for start in range(0, len(sound), 1024):
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(sound[None, start : start + 1024]), "fltp", "mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
        made.mux(voice.encode(frame))
    made.mux(voice.encode(None))
