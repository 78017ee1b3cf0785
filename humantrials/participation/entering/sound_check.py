"""The sound check: three spoken digits in the left ear and three in the right, different ones at each attempt.

The digits are derived from the person's token and the attempt with this site's key. So nothing has to be stored, a
reload plays the same digits, and the page does not reveal them.
"""

import hashlib
import hmac
import io
import wave
from functools import lru_cache
from pathlib import Path

from benchmarks.models import Key
from humantrials.models import Participant

DIGITS = Path(__file__).parents[2] / "assets" / "digits"
SPOKEN = ("en", "de")  # recorded languages; others hear English
SIDES = ("left", "right")
RATE, WIDTH, PAUSE = 22_050, 2, 0.35  # samples a second, bytes a sample, seconds between digits


def digits_for(person: Participant, side: str) -> str:
    """The three digits of this side in the person's current attempt."""
    key = Key.secret_of("sound")
    message = f"{person.token}/{person.checks.get('sound', 0)}/{side}"
    digest = hmac.new(key, message.encode(), hashlib.sha256).digest()
    return "".join(str(byte % 10) for byte in digest[:3])


def spoken(digits: str, side: str, language: str) -> bytes:
    """The digits as a stereo WAV file with silence in the other ear."""
    pause = bytes(int(RATE * PAUSE) * WIDTH)
    mono = (
        pause + pause.join(_recorded(digit, language if language in SPOKEN else SPOKEN[0]) for digit in digits) + pause
    )
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(WIDTH)
        out.setframerate(RATE)
        out.writeframes(_on_one_side(mono, side))
    return file.getvalue()


def _on_one_side(mono: bytes, side: str) -> bytes:
    both = bytearray(len(mono) * 2)
    first = 0 if side == "left" else WIDTH
    both[first :: 2 * WIDTH] = mono[0::WIDTH]
    both[first + 1 :: 2 * WIDTH] = mono[1::WIDTH]
    return bytes(both)


@lru_cache(maxsize=32)
def _recorded(digit: str, language: str) -> bytes:
    with wave.open(str(DIGITS / f"{language}-{digit}.wav"), "rb") as file:
        return file.readframes(file.getnframes())
