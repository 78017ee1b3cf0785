"""Frames and sound in the forms that models take: as files, or at a rate."""

import io
import wave
from fractions import Fraction

import numpy as np
from PIL import Image

from evaluation.adapters.base import Audio

FORMATS = {"jpeg": "jpg", "png": "png"}  # name -> suffix
QUALITY = 95  # JPEG quality, 0 to 100


def picture_bytes(pixels: np.ndarray, form: str) -> bytes:
    """One RGB picture [height, width, 3] as a PNG (exact) or JPEG (4:4:4, quality 95)."""
    buffer = io.BytesIO()
    how = {"quality": QUALITY, "subsampling": 0} if form == "jpeg" else {"compress_level": 1}
    Image.fromarray(pixels).save(buffer, form, **how)
    return buffer.getvalue()


def wav_bytes(audio: Audio) -> bytes:
    """The sound as WAV, mono 16-bit PCM; samples outside -1 to 1 are clipped."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(audio.rate)
        file.writeframes((np.clip(audio.samples, -1, 1) * 32767).round().astype("<i2").tobytes())
    return buffer.getvalue()


def resampled(audio: Audio, rate: int) -> np.ndarray:
    """The samples at this rate (Hz), by polyphase filtering."""
    from scipy.signal import resample_poly

    if audio.rate == rate:
        return audio.samples
    ratio = Fraction(rate, audio.rate)
    return resample_poly(audio.samples, ratio.numerator, ratio.denominator).astype(np.float32)
